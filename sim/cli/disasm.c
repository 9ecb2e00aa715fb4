// sim/cli/disasm.c: `pulpsim disasm`: programs, or words, as assembly text.
#include <argp.h>
#include <stdlib.h>
#include <string.h>

#include "isa/isa.h"
#include "sim/cli/cli.h"
#include "sim/cli/isa_sets.h"
#include "sim/elf.h"

struct disasm_options {
  uint32_t sets;
  bool corev, zfinx;
  char **inputs;
  unsigned input_count;
};

static const struct argp_option table[] = {
    {"corev", 'v', NULL, 0, "the PULP extension is in the CORE-V encoding (else: XpulpV2)", 0},
    {"with", 'w', "SET", 0, "decode this set too; see `pulpsim isa`", 0},
    {"zfinx", 'z', NULL, 0, "floats live in the integer registers", 0},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state) {
  struct disasm_options *o = state->input;
  switch (key) {
  case 'v':
    o->corev = true;
    return 0;
  case 'w':
    if (!isa_sets_add(&o->sets, arg))
      argp_error(state, "--with %s: no such set; `pulpsim isa` shows them", arg);
    return 0;
  case 'z':
    o->zfinx = true;
    return 0;
  case ARGP_KEY_ARG:
    o->inputs[o->input_count++] = arg;
    return 0;
  case ARGP_KEY_NO_ARGS:
    argp_error(state, "give an ELF file, or words such as 0x00a50533");
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

// Prints one instruction; returns its size.
static unsigned print_insn(const struct isa_decoder *decoder, uint32_t address, uint32_t word) {
  struct isa_insn insn;
  char text[128];
  unsigned size = (word & 3) == 3 ? 4 : 2;
  if (isa_decode(decoder, word, &insn))
    isa_disassemble(&insn, address, text, sizeof text);
  else
    snprintf(text, sizeof text, size == 4 ? ".word\t0x%08x" : ".half\t0x%04x",
             size == 4 ? (unsigned)word : (unsigned)(word & 0xffff));
  char *tab = strchr(text, '\t');
  if (tab)
    *tab = ' ';
  printf("%8x:  %0*x%*s  %s\n", (unsigned)address, (int)(2 * size),
         size == 4 ? (unsigned)word : (unsigned)(word & 0xffff), (int)(8 - 2 * size), "", text);
  return size;
}

static uint32_t word_at(const struct elf_segment *s, uint32_t offset) {
  uint8_t bytes[4] = {0};
  size_t count = s->file_size - offset < 4 ? s->file_size - offset : 4;
  memcpy(bytes, s->data + offset, count);
  return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static void print_segment(const struct elf_image *image, const struct elf_segment *s,
                          const struct isa_decoder *decoder) {
  for (uint32_t offset = 0; offset + 1 < s->file_size;) {
    uint32_t address = s->address + offset;
    const struct elf_symbol *symbol = elf_symbol_at(image, address);
    if (symbol && symbol->address == address)
      printf("\n%08x <%s>:\n", (unsigned)address, symbol->name);
    offset += print_insn(decoder, address, word_at(s, offset));
  }
}

static int print_program(const char *path, const struct isa_decoder *decoder) {
  char error[ELF_ERROR_SIZE];
  struct elf_image *image = elf_open(path, error);
  if (!image)
    return cli_fail(CLI_BAD_PROGRAM, "%s", error);
  for (size_t i = 0; i < image->segment_count; i++) {
    if (image->segments[i].executable)
      print_segment(image, &image->segments[i], decoder);
  }
  elf_free(image);
  return 0;
}

static int print_inputs(const struct disasm_options *o, const struct isa_decoder *decoder) {
  int status = 0;
  for (unsigned i = 0; i < o->input_count; i++) {
    uint64_t word;
    if (strncmp(o->inputs[i], "0x", 2) != 0) {
      int one = print_program(o->inputs[i], decoder);
      status = one ? one : status;
    } else if (!cli_number(o->inputs[i], false, &word) || word > UINT32_MAX) {
      status = cli_fail(CLI_USAGE, "%s: not a 32-bit word", o->inputs[i]);
    } else {
      print_insn(decoder, 0, (uint32_t)word);
    }
  }
  return status;
}

int cli_disasm(int argc, char **argv) {
  static const struct argp argp = {
      table, parse, "ELF|0xWORD...", "Prints programs or single words as assembly text.", NULL,
      NULL,  NULL};
  struct disasm_options o = {.sets = isa_sets_base()};
  o.inputs = calloc((size_t)argc + 1, sizeof *o.inputs);
  if (!o.inputs)
    return cli_fail(CLI_INTERNAL, "out of memory");
  argp_err_exit_status = CLI_USAGE;
  argp_parse(&argp, argc, argv, 0, NULL, &o);
  o.sets |= ISA_BIT(o.corev ? ISA_COREV : ISA_XPULPV2);
  struct isa_decoder *decoder = isa_decoder_new(o.sets, o.zfinx);
  int status = decoder ? print_inputs(&o, decoder) : cli_fail(CLI_INTERNAL, "out of memory");
  isa_decoder_free(decoder);
  free(o.inputs);
  return fflush(stdout) == 0 ? status : cli_fail(CLI_NO_OUTPUT, "stdout cannot be written");
}
