#!/usr/bin/env python3
"""Renders lines of text, upright or upside down, as inputs of the text-direction network.

usage: text_direction.py DIRECTORY COUNT SEED

Writes DIRECTORY/NNNNN.npy (1 x 3 x 48 x 192: BGR, (x / 255 - 0.5) / 0.5, zeros behind the text) and
DIRECTORY.tsv (file, label: 0 upright, 1 upside down). Lines are one to three words of at most 24
characters, black on white: longer ones would be squeezed into the 192 columns. Words are those of LICENSE,
which does not change, fonts DejaVu's.
"""
import os
import random
import re
import sys

import numpy
from PIL import Image, ImageDraw, ImageFont

LONGEST = 24
FONTS = ('DejaVuSans', 'DejaVuSans-Bold', 'DejaVuSerif', 'DejaVuSansMono')


def words():
    return sorted(set(re.findall(r'\b[A-Za-z]{2,}\b', open('LICENSE').read())))


def words_of_line(rng, choices):
    while True:
        text = ' '.join(rng.choice(choices) for _ in range(rng.randint(1, 3)))
        if len(text) <= LONGEST:
            return text


def line(rng, choices, font):
    text = words_of_line(rng, choices)
    left, top, right, bottom = font.getbbox(text)
    margin = rng.randint(2, 8)
    image = Image.new('RGB', (right - left + 2 * margin, bottom - top + 2 * margin), 'white')
    ImageDraw.Draw(image).text((margin - left, margin - top), text, font=font, fill='black')
    return image


def main():
    out, count, rng = sys.argv[1], int(sys.argv[2]), random.Random(int(sys.argv[3]))
    os.makedirs(out, exist_ok=True)
    choices = words()
    fonts = [ImageFont.truetype('/usr/share/fonts/truetype/dejavu/%s.ttf' % name, 32)
             for name in FONTS]
    with open(out + '.tsv', 'w') as rows:
        for i in range(count):
            image, label = line(rng, choices, fonts[i % len(fonts)]), rng.randint(0, 1)
            if label:
                image = image.rotate(180)
            width = max(1, min(192, round(48 * image.width / image.height)))
            pixels = numpy.asarray(image.resize((width, 48), Image.BILINEAR), dtype='f4')
            x = numpy.zeros((1, 3, 48, 192), 'f4')
            x[0, :, :, :width] = ((pixels[:, :, ::-1] / 255 - 0.5) / 0.5).transpose(2, 0, 1)
            numpy.save('%s/%05d.npy' % (out, i), x)
            rows.write('%s/%05d.npy\t%d\n' % (os.path.basename(out), i, label))


main()
