// sim/cli/disasm.c: `pulpsim disasm`: programs, or words, as assembly text.
#include <argp.h>
#include <errno.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>

#include "isa/isa.h"
#include "observe/lines.h"
#include "sim/cli/cli.h"
#include "sim/cli/isa_sets.h"
#include "sim/elf.h"
#include "sim/number.h"
#include "sim/piped_file.h"

// Which encoding the PULP extension is in: as the program's attributes say, else XpulpV2.
enum encoding { AS_THE_PROGRAM_SAYS, COREV, XPULPV2 };

struct disasm_options {
  uint32_t sets;
  enum encoding encoding;
  bool zfinx, aliases, no_source;
  char **inputs;
  unsigned input_count;
};

// What is being printed.
struct listing {
  const struct disasm_options *options;
  const struct isa_decoder *decoder;
  const struct elf_image *image;
  const struct lines *lines;
  const char *file; // source line of the last instruction
  unsigned line;
};

static const struct argp_option table[] = {
    {"aliases", 'a', NULL, 0, "print `li`, `ret` and their like, as objdump does", 0},
    {"corev", 'v', NULL, 0, "the PULP extension is in the CORE-V encoding", 0},
    {"no-source", 'S', NULL, 0, "no source lines", 0},
    {"with", 'w', "SET", 0, "decode this set too; see `pulpsim isa`", 0},
    {"xpulpv2", 'x', NULL, 0, "it is in the XpulpV2 encoding (default, unless the ELF says more)",
     0},
    {"zfinx", 'z', NULL, 0, "floats live in the integer registers", 0},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state) {
  struct disasm_options *o = state->input;
  switch (key) {
  case 'a':
    o->aliases = true;
    return 0;
  case 'v':
    o->encoding = COREV;
    return 0;
  case 'x':
    o->encoding = XPULPV2;
    return 0;
  case 'S':
    o->no_source = true;
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

// " <main+0x4>" behind branches and jumps, where the program has a name for it.
static void add_target(const struct listing *l, const struct isa_insn *insn, uint32_t address,
                       char *text, size_t size) {
  unsigned cls = isa_ops[insn->op].cls;
  if (!l->image || (cls != ISA_CLASS_BRANCH && cls != ISA_CLASS_JAL))
    return;
  uint32_t target = address + (uint32_t)insn->imm;
  const struct elf_symbol *symbol = elf_symbol_at(l->image, target);
  size_t used = strlen(text);
  if (symbol && target == symbol->address)
    snprintf(text + used, size - used, " <%s>", symbol->name);
  else if (symbol)
    snprintf(text + used, size - used, " <%s+0x%x>", symbol->name,
             (unsigned)(target - symbol->address));
}

static void describe(const struct listing *l, const struct isa_insn *insn, uint32_t address,
                     char *text, size_t size) {
  if (l->options->aliases)
    isa_disassemble_alias(insn, address, text, size);
  else
    isa_disassemble(insn, address, text, size);
  add_target(l, insn, address, text, size);
}

// Prints one instruction; returns its size.
static unsigned print_insn(const struct listing *l, uint32_t address, uint32_t word) {
  struct isa_insn insn;
  char text[256];
  unsigned size = (word & 3) == 3 ? 4 : 2;
  if (!isa_decode(l->decoder, word, &insn))
    snprintf(text, sizeof text, size == 4 ? ".word 0x%08x" : ".half 0x%04x",
             size == 4 ? (unsigned)word : (unsigned)(word & 0xffff));
  else
    describe(l, &insn, address, text, sizeof text);
  printf("%8x:  %0*x%*s  %s\n", (unsigned)address, (int)(2 * size),
         size == 4 ? (unsigned)word : (unsigned)(word & 0xffff), (int)(8 - 2 * size), "", text);
  return size;
}

static uint32_t word_at(const uint8_t *bytes, uint32_t left) {
  uint8_t word[4] = {0};
  memcpy(word, bytes, left < 4 ? left : 4);
  return word[0] | (uint32_t)word[1] << 8 | (uint32_t)word[2] << 16 | (uint32_t)word[3] << 24;
}

// The source line, where another one begins.
static void print_source(struct listing *l, uint32_t address) {
  const char *file;
  unsigned line;
  char text[160];
  if (!l->lines || !lines_find(l->lines, address, &file, &line))
    return;
  if (l->file && strcmp(file, l->file) == 0 && line == l->line)
    return;
  bool found = lines_text(file, line, text, sizeof text);
  const char *slash = strrchr(file, '/');
  printf("; %s:%u%s%s\n", slash ? slash + 1 : file, line, found ? "  " : "", found ? text : "");
  l->file = file;
  l->line = line;
}

static void print_code(struct listing *l, uint32_t base, const uint8_t *bytes, uint32_t size) {
  for (uint32_t offset = 0; offset + 1 < size;) {
    uint32_t address = base + offset;
    const struct elf_symbol *symbol = elf_symbol_at(l->image, address);
    if (symbol && symbol->address == address)
      printf("\n%08x <%s>:\n", (unsigned)address, symbol->name);
    print_source(l, address);
    offset += print_insn(l, address, word_at(bytes + offset, size - offset));
  }
}

// The sections that hold code; false if the file names none.
static bool print_sections(struct listing *l) {
  Elf *elf = elf_memory((char *)l->image->file, l->image->file_size);
  bool any = false;
  for (Elf_Scn *s = elf ? elf_nextscn(elf, NULL) : NULL; s; s = elf_nextscn(elf, s)) {
    const Elf32_Shdr *h = elf32_getshdr(s);
    const Elf_Data *data = h && h->sh_type == SHT_PROGBITS && (h->sh_flags & SHF_EXECINSTR)
                               ? elf_getdata(s, NULL)
                               : NULL;
    if (!data || !data->d_buf)
      continue;
    print_code(l, h->sh_addr, data->d_buf, (uint32_t)data->d_size);
    any = true;
  }
  elf_end(elf);
  return any;
}

static void print_segments(struct listing *l) {
  for (size_t i = 0; i < l->image->segment_count; i++) {
    const struct elf_segment *s = &l->image->segments[i];
    if (s->executable)
      print_code(l, s->address, s->data, s->file_size);
  }
}

static struct isa_decoder *decoder_for(const struct disasm_options *o, const char *arch) {
  bool corev = o->encoding == COREV ||
               (o->encoding == AS_THE_PROGRAM_SAYS && arch && strstr(arch, "_xcv") != NULL);
  bool zfinx = o->zfinx || (arch && strstr(arch, "_zfinx") != NULL);
  return isa_decoder_new(o->sets | ISA_BIT(corev ? ISA_COREV : ISA_XPULPV2), zfinx);
}

static int print_program(const char *path, const struct disasm_options *o) {
  char error[ELF_ERROR_SIZE];
  if (!(path = piped_file(path)))
    return cli_fail(CLI_BAD_PROGRAM, "cannot read the program from its pipe: %s", strerror(errno));
  struct elf_image *image = elf_open(path, error);
  if (!image)
    return cli_fail(CLI_BAD_PROGRAM, "%s", error);
  struct isa_decoder *decoder = decoder_for(o, image->arch);
  struct lines *lines = o->no_source ? NULL : lines_new(image->file, image->file_size);
  struct listing l = {.options = o, .decoder = decoder, .image = image, .lines = lines};
  if (decoder && !print_sections(&l))
    print_segments(&l);
  if (lines)
    lines_free(lines);
  isa_decoder_free(decoder);
  elf_free(image);
  return decoder ? 0 : cli_fail(CLI_INTERNAL, "out of memory");
}

static int print_word(const char *text, const struct disasm_options *o) {
  uint64_t word;
  if (!number_parse(text, 0, &word) || word > UINT32_MAX)
    return cli_fail(CLI_USAGE, "%s: not a 32-bit word", text);
  struct isa_decoder *decoder = decoder_for(o, NULL);
  if (!decoder)
    return cli_fail(CLI_INTERNAL, "out of memory");
  struct listing l = {.options = o, .decoder = decoder};
  print_insn(&l, 0, (uint32_t)word);
  isa_decoder_free(decoder);
  return 0;
}

static int print_inputs(const struct disasm_options *o) {
  int status = 0;
  for (unsigned i = 0; i < o->input_count; i++) {
    bool word = strncmp(o->inputs[i], "0x", 2) == 0;
    int one = word ? print_word(o->inputs[i], o) : print_program(o->inputs[i], o);
    status = one ? one : status;
  }
  return status;
}

int cli_disasm(int argc, char **argv) {
  static const struct argp argp = {
      table, parse, "ELF|-|0xWORD...", "Prints programs or single words as assembly text.", NULL,
      NULL,  NULL};
  struct disasm_options o = {.sets = isa_sets_base()};
  o.inputs = calloc((size_t)argc + 1, sizeof *o.inputs);
  if (!o.inputs)
    return cli_fail(CLI_INTERNAL, "out of memory");
  argp_err_exit_status = CLI_USAGE;
  argp_parse(&argp, argc, argv, 0, NULL, &o);
  int status = print_inputs(&o);
  free(o.inputs);
  return status;
}
