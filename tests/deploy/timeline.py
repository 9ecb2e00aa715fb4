"""Looks at what pulpsim-deploy --timeline wrote: timeline.py EVENTS.json PICTURE.svg REPORT.json"""

import json
import sys
import xml.etree.ElementTree as xml

events = json.load(open(sys.argv[1]))["traceEvents"]
picture = xml.parse(sys.argv[2]).getroot()
report = json.load(open(sys.argv[3]))

tracks = {e["tid"]: e["args"]["name"] for e in events if e["name"] == "thread_name"}


def slices(name):
    return [e for e in events if e["ph"] == "X" and tracks[e["tid"]].startswith(name)]


def overlap(some):
    some = sorted(some, key=lambda e: e["ts"])
    return any(a["ts"] + a["dur"] > b["ts"] for a, b in zip(some, some[1:]))


layers = slices("layers")
assert [e["name"] for e in layers] == [l["name"] for l in report["layers"]]
for e, l in zip(layers, report["layers"]):
    assert abs(e["dur"] - l["cycles"]) <= 2 * 128, (e, l["cycles"])

weights = slices("uDMA")
assert sum(int(e["name"].split()[0]) for e in weights) >= 0.5 * report["l3_bytes"]
assert not overlap(weights)
for e in weights:
    assert e["dur"] >= int(e["name"].split()[0]) or e["ts"] == 0, e  # a byte a cycle

dma = slices("DMA")
assert dma
for track in {e["tid"] for e in dma}:
    assert not overlap([e for e in dma if e["tid"] == track])
for e in dma:
    assert 8 * e["dur"] >= int(e["name"].split()[0]), e  # eight bytes a cycle

parts = [e["args"] for e in events if e["name"] == "cores: % of cycles"]
assert len(parts) > 100
for p in parts:
    assert abs(sum(p.values()) - 100) < 1, p
mean = sum(p["issue"] for p in parts) / len(parts)
assert abs(mean - 100 * report["causes"]["issue"]) < 5, mean

texts = [t.text for t in picture.iter("{http://www.w3.org/2000/svg}text")]
assert {"core 0", "core 7", "DMA", "uDMA, L3", "fetch"} <= set(texts), texts
titles = [t.text for t in picture.iter("{http://www.w3.org/2000/svg}title")]
for e in layers:
    assert any(t.startswith(e["name"] + ": ") for t in titles), e["name"]
assert sum(t.endswith("from L3") for t in titles) == len(weights)
print("seen")
