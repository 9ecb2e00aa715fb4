// tests/sim/elf.c: programs that run, and programs that are refused with one sentence.
//
// The files are made here, byte by byte, so that each mistake is one changed field.
#include "sim/elf.h"

#include <check.h>
#include <elf.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "sim/config.h"

enum { TEXT = 0x1c008000, DATA = 0x10000000, ENTRY = TEXT + 4 };

// A small program: two segments, symbols, attributes, regions.
struct file {
  Elf32_Ehdr header;
  Elf32_Phdr segment[3];
  Elf32_Shdr section[6];
  Elf32_Sym symbol[7];
  uint32_t text[8], data[4];
  char names[64], strings[64], arch[64];
};

static struct file file;
static size_t size;
static char error[ELF_ERROR_SIZE];
static struct elf_image *image;

static uint32_t add_string(char *table, const char *text) {
  static uint32_t used[2];
  uint32_t *next = &used[table == file.names];
  if (!text) {
    used[0] = used[1] = 1;
    return 0;
  }
  uint32_t at = *next;
  strcpy(table + at, text);
  *next += (uint32_t)strlen(text) + 1;
  return at;
}

static void section(int index, const char *name, uint32_t type, uint32_t address, const void *at,
                    uint32_t bytes) {
  file.section[index] = (Elf32_Shdr){.sh_name = add_string(file.names, name),
                                     .sh_type = type,
                                     .sh_addr = address,
                                     .sh_offset = (uint32_t)((const char *)at - (char *)&file),
                                     .sh_size = bytes,
                                     .sh_entsize = type == SHT_SYMTAB ? sizeof(Elf32_Sym) : 0};
}

static void symbol(int index, const char *name, uint32_t address, uint32_t bytes, int type,
                   uint16_t where) {
  file.symbol[index] = (Elf32_Sym){.st_name = add_string(file.strings, name),
                                   .st_value = address,
                                   .st_size = bytes,
                                   .st_info = (uint8_t)ELF32_ST_INFO(STB_GLOBAL, type),
                                   .st_shndx = where};
}

static void segment(int index, uint32_t address, const void *at, uint32_t filled, uint32_t bytes,
                    uint32_t flags) {
  file.segment[index] = (Elf32_Phdr){.p_type = PT_LOAD,
                                     .p_offset = (uint32_t)((const char *)at - (char *)&file),
                                     .p_vaddr = address,
                                     .p_paddr = address,
                                     .p_filesz = filled,
                                     .p_memsz = bytes,
                                     .p_flags = flags};
}

static void setup(void) {
  memset(&file, 0, sizeof file);
  size = sizeof file;
  image = NULL;
  add_string(NULL, NULL);
  memcpy(file.header.e_ident, "\177ELF\1\1\1", 7);
  file.header.e_type = ET_EXEC;
  file.header.e_machine = 243;
  file.header.e_version = 1;
  file.header.e_entry = ENTRY;
  file.header.e_phoff = offsetof(struct file, segment);
  file.header.e_shoff = offsetof(struct file, section);
  file.header.e_flags = 0x3; // RVC, ilp32f
  file.header.e_ehsize = sizeof file.header;
  file.header.e_phentsize = sizeof *file.segment;
  file.header.e_phnum = 3;
  file.header.e_shentsize = sizeof *file.section;
  file.header.e_shnum = 6;
  file.header.e_shstrndx = 5;
  segment(0, TEXT, file.text, sizeof file.text, sizeof file.text, PF_R | PF_X);
  segment(1, DATA, file.data, sizeof file.data, 256, PF_R | PF_W);
  segment(2, 0, file.data, 0, 0, PF_R); // empty: to be ignored
  memcpy(file.arch, "A\x1f\0\0\0riscv\0\1\x15\0\0\0\5rv32i2p0_m2p0_c2p0", 36);
  section(1, ".riscv.attributes", 0x70000003, 0, file.arch, 40);
  section(2, ".pulpsim.regions", SHT_PROGBITS, DATA, file.data, sizeof file.data);
  section(3, ".symtab", SHT_SYMTAB, 0, file.symbol, sizeof file.symbol);
  section(4, ".strtab", SHT_STRTAB, 0, file.strings, sizeof file.strings);
  section(5, ".shstrtab", SHT_STRTAB, 0, file.names, sizeof file.names);
  file.section[3].sh_link = 4;
  symbol(1, "_start", TEXT, 0, STT_NOTYPE, 1);
  symbol(2, "main", TEXT + 8, 12, STT_FUNC, 1);
  symbol(3, "loop", TEXT + 12, 0, STT_NOTYPE, 1); // a label inside of main
  symbol(4, "table", DATA, 16, STT_OBJECT, 1);
  symbol(5, "__stack_size", 0x400, 0, STT_NOTYPE, SHN_ABS);
  symbol(6, "missing", 0, 0, STT_NOTYPE, SHN_UNDEF);
}

static void teardown(void) {
  elf_free(image);
}

static void opens(void) {
  image = elf_from_memory(&file, size, "p.elf", error);
  ck_assert_msg(image != NULL, "%s", error);
}

static void refuses(const char *sentence) {
  image = elf_from_memory(&file, size, "p.elf", error);
  ck_assert_msg(!image, "accepted, instead of: %s", sentence);
  ck_assert_str_eq(error, sentence);
}

START_TEST(a_program_is_read) {
  opens();
  ck_assert_uint_eq(image->entry, ENTRY);
  ck_assert_int_eq(image->float_abi, ELF_FLOAT_SINGLE);
  ck_assert_uint_eq(image->segment_count, 2);
  ck_assert_uint_eq(image->segments[0].address, DATA); // ascending
  ck_assert_uint_eq(image->segments[0].memory_size, 256);
  ck_assert_uint_eq(image->segments[0].file_size, sizeof file.data);
  ck_assert(image->segments[1].executable && !image->segments[1].writable);
  ck_assert_str_eq(image->arch, "rv32i2p0_m2p0_c2p0");
  ck_assert_uint_eq(image->regions_address, DATA);
  ck_assert_uint_eq(image->regions_size, sizeof file.data);
  ck_assert(!image->has_debug);
}
END_TEST

static const char *name_at(uint32_t address) {
  const struct elf_symbol *s = elf_symbol_at(image, address);
  return s ? s->name : "-";
}

START_TEST(symbols_contain_addresses) {
  opens();
  ck_assert_str_eq(name_at(TEXT - 1), "-");
  ck_assert_str_eq(name_at(TEXT + 6), "_start"); // no size: up to the next
  ck_assert_str_eq(name_at(TEXT + 8), "main");
  ck_assert_str_eq(name_at(TEXT + 14), "main"); // not the label inside
  ck_assert_str_eq(name_at(TEXT + 20), "-");
  ck_assert_str_eq(name_at(DATA + 15), "table");
  ck_assert_str_eq(name_at(DATA + 16), "-");
  ck_assert_str_eq(name_at(0x400), "-"); // absolute: not a place
  ck_assert_uint_eq(elf_symbol_named(image, "loop")->address, TEXT + 12);
  ck_assert_uint_eq(elf_symbol_named(image, "__stack_size")->address, 0x400);
  ck_assert_ptr_null(elf_symbol_named(image, "missing"));
}
END_TEST

START_TEST(a_stripped_program_runs) {
  file.header.e_shoff = file.header.e_shnum = file.header.e_shstrndx = 0;
  opens();
  ck_assert_ptr_null(elf_symbol_at(image, ENTRY));
  ck_assert_ptr_null(elf_symbol_named(image, "main"));
  ck_assert_str_eq(image->arch, "");
}
END_TEST

START_TEST(other_files_are_refused) {
  file.header.e_ident[1] = 'e';
  refuses("p.elf: not an ELF file; give a program linked for the simulated machine");
  setup();
  size = 3;
  refuses("p.elf: not an ELF file; give a program linked for the simulated machine");
  setup();
  size = 0;
  refuses("p.elf: not an ELF file; give a program linked for the simulated machine");
  setup();
  file.header.e_ident[EI_CLASS] = ELFCLASS64;
  refuses("p.elf: a 64-bit ELF file; the cores are 32-bit, compile with -march=rv32imc");
  setup();
  file.header.e_ident[EI_DATA] = ELFDATA2MSB;
  refuses("p.elf: a big-endian ELF file; the cores are little-endian");
  setup();
  file.header.e_machine = EM_ARM;
  refuses("p.elf: an ELF file for machine 40; the cores are RISC-V (machine 243)");
  setup();
  file.header.e_type = ET_REL;
  refuses("p.elf: an object file; link it into a program first");
  setup();
  file.header.e_type = ET_DYN;
  refuses("p.elf: position-independent; link it with -static -no-pie");
}
END_TEST

START_TEST(abis_are_refused) {
  file.header.e_flags = 0x5;
  refuses("p.elf: its float ABI is ilp32d; the cores have single-precision floats at most, compile "
          "with -mabi=ilp32f or ilp32");
  setup();
  file.header.e_flags = 0x8;
  refuses("p.elf: compiled for RV32E; the cores have 32 registers, compile with -mabi=ilp32");
}
END_TEST

START_TEST(segments_are_checked) {
  file.segment[1].p_paddr = TEXT + 16;
  refuses("p.elf: two segments overlap at 0x1c008010; check the linker script");
  setup();
  file.segment[1].p_memsz = 8;
  refuses("p.elf: segment 1: larger in the file (16 bytes) than in memory (8)");
  setup();
  file.segment[1].p_paddr = 0xffffff80;
  refuses("p.elf: segment 1: 0xffffff80 and 256 bytes reach beyond the 32-bit address space");
  setup();
  file.segment[0].p_type = file.segment[1].p_type = PT_NOTE;
  refuses("p.elf: no segment to load; was it linked?");
  setup();
  file.header.e_phnum = 0;
  refuses("p.elf: no segment to load; was it linked?");
  setup();
  file.header.e_entry = DATA;
  refuses("p.elf: the entry 0x10000000 lies in no executable segment; define _start or ENTRY()");
  setup();
  file.header.e_entry = TEXT + 1;
  refuses("p.elf: the entry 0x1c008001 is odd");
  setup();
  file.segment[0].p_offset = sizeof file - 16;
  refuses("p.elf: segment 0: truncated, its bytes end at 756 and the file at 740");
}
END_TEST

// Without its section headers a program would run, but with neither symbols nor regions.
START_TEST(lost_headers_are_noticed) {
  size = offsetof(struct file, segment) + 40;
  refuses("p.elf: truncated: the program headers end at 148 and the file at 92");
  setup();
  file.header.e_shoff = sizeof file - 40;
  refuses("p.elf: truncated: the section headers end at 940 and the file at 740");
  setup();
  file.header.e_shoff = file.header.e_shnum = 0;
  opens();
}
END_TEST

// Cut anywhere, the file is refused or read; it never crashes. (The sanitized build sees to it.)
START_TEST(every_truncation_is_survived) {
  for (size_t cut = 0; cut < sizeof file; cut++) {
    image = elf_from_memory(&file, cut, "p.elf", error);
    ck_assert_msg(image || *error, "refused without a word at %zu", cut);
    elf_free(image);
    image = NULL;
  }
}
END_TEST

START_TEST(every_changed_byte_is_survived) {
  uint8_t *bytes = (uint8_t *)&file;
  static const uint8_t values[] = {0, 1, 0x7f, 0x80, 0xff};
  for (size_t i = 0; i < sizeof file; i++) {
    for (size_t k = 0; k < sizeof values; k++) {
      uint8_t before = bytes[i];
      bytes[i] = values[k];
      image = elf_from_memory(&file, size, "p.elf", error);
      if (image) {
        for (uint32_t a = 0; a < 32; a++)
          elf_symbol_at(image, TEXT + a);
        elf_symbol_named(image, "main");
        ck_assert(strlen(image->arch) < sizeof file);
      }
      elf_free(image);
      image = NULL;
      bytes[i] = before;
    }
  }
}
END_TEST

START_TEST(machines_refuse_what_they_lack) {
  struct pulpsim_config config;
  config_init(&config);
  opens();
  ck_assert_msg(elf_check_machine(image, &config, error), "%s", error);
  config.core_fpu_present = false;
  ck_assert(!elf_check_machine(image, &config, error));
  ck_assert_msg(strstr(error, "has no float unit"), "%s", error);
  config.core_fpu_present = config.core_zfinx = true;
  ck_assert(!elf_check_machine(image, &config, error));
  ck_assert_msg(strstr(error, "integer registers"), "%s", error);
  config.core_zfinx = false;
  image->arch = "rv32i2p0_xpulpnn1p0";
  ck_assert(!elf_check_machine(image, &config, error));
  ck_assert_msg(strstr(error, "core.xpulpnn=true"), "%s", error);
  image->arch = "rv32i2p0_xpulpv2p0";
  ck_assert(elf_check_machine(image, &config, error));
  config.core_isa = CONFIG_ISA_COREV;
  ck_assert(!elf_check_machine(image, &config, error));
  ck_assert_msg(strstr(error, "core.isa=xpulpv2"), "%s", error);
  image->arch = "rv32i2p0_xcvmac1p0";
  ck_assert(elf_check_machine(image, &config, error));
  config.core_isa = CONFIG_ISA_AUTO;
  ck_assert(!elf_check_machine(image, &config, error));
  config.core_model = CONFIG_MODEL_CV32E40P;
  ck_assert(elf_check_machine(image, &config, error));
}
END_TEST

START_TEST(extensions_that_nobody_has_are_found) {
  static const struct {
    const char *arch, *name;
    uint32_t word;
  } programs[] = {
      {"rv32i2p1_m2p0_a2p1_f2p2_d2p2_c2p0", "d", 0x7106b687}, // fld
      {"rv32i2p1_m2p0_a2p1_f2p2_d2p2_c2p0", "d", 0x02b57553}, // fadd.d
      {"rv32i2p1_m2p0_a2p1_f2p2_d2p2_c2p0", "d", 0x2188},     // c.fld
      {"rv32i2p1_m2p0_a2p1_f2p2_d2p2_c2p0", "a", 0x04f7202f}, // amoadd.w
      {"rv32i2p1_a2p1_v1p0_zvl32b1p0", "v", 0x02058007},      // vle8.v
      {"rv32i2p1_a2p1_c2p0", "a", 0x7106b687},
      {"rv32i2p1_m2p0_a2p1_c2p0", "a", 0},
      {"rv32i2p1_m2p0_f2p2_d2p2_c2p0_zicsr2p0", "d", 0},
      {"rv32imac", "a", 0},
      {"rv32imfc_zba1p0_zbb1p0", "zba", 0},
      {"rv32i2p0_zvl32b1p0", "zvl32b", 0},
      {"rv32i2p0_zvl32b", "zvl32b", 0},
      {"rv32ip2p0", "p", 0},
      {"rv32i2p0_m2p0_f2p0_c2p0_zicsr2p0_zifencei2p0_zmmul1p0_xcvmac1p0_xpulpv2p0", NULL, 0},
      {"rv32e1p9", NULL, 0},
      {"", NULL, 0},
  };
  opens();
  for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
    char name[20];
    image->arch = programs[i].arch;
    bool found = elf_foreign_extension(image, programs[i].word, name, sizeof name);
    ck_assert_msg(found == (programs[i].name != NULL), "%s", programs[i].arch);
    if (found)
      ck_assert_str_eq(name, programs[i].name);
  }
}
END_TEST

START_TEST(segments_outside_the_memories) {
  struct elf_range memories[] = {{"L1", DATA, 0x10000}, {"L2", 0x1c000000, 0x80000}};
  opens();
  ck_assert_msg(elf_check_ranges(image, memories, 2, error), "%s", error);
  ck_assert(!elf_check_ranges(image, memories, 1, error));
  ck_assert_str_eq(error, "the program's segment at 0x1c008000 (32 bytes) lies outside the "
                          "machine's memories: L1 0x10000000..0x1000ffff");
  memories[0].size = 255; // one byte short
  ck_assert(!elf_check_ranges(image, memories, 2, error));
  memories[0].size = 256;
  ck_assert(elf_check_ranges(image, memories, 2, error));
}
END_TEST

START_TEST(unreadable_files_are_refused) {
  ck_assert_ptr_null(elf_open("/nowhere.elf", error));
  ck_assert_str_eq(error, "/nowhere.elf: cannot read the program: No such file or directory");
  ck_assert_ptr_null(elf_open("/", error));
  ck_assert_str_eq(error, "/: cannot read the program: Is a directory");
  ck_assert_ptr_null(elf_open("/dev/zero", error));
}
END_TEST

Suite *elf_suite(void);
Suite *elf_suite(void) {
  Suite *suite = suite_create("elf");
  TCase *tc = tcase_create("elf");
  tcase_add_checked_fixture(tc, setup, teardown);
  tcase_set_timeout(tc, 60);
  tcase_add_test(tc, a_program_is_read);
  tcase_add_test(tc, symbols_contain_addresses);
  tcase_add_test(tc, a_stripped_program_runs);
  tcase_add_test(tc, other_files_are_refused);
  tcase_add_test(tc, abis_are_refused);
  tcase_add_test(tc, segments_are_checked);
  tcase_add_test(tc, lost_headers_are_noticed);
  tcase_add_test(tc, every_truncation_is_survived);
  tcase_add_test(tc, every_changed_byte_is_survived);
  tcase_add_test(tc, machines_refuse_what_they_lack);
  tcase_add_test(tc, extensions_that_nobody_has_are_found);
  tcase_add_test(tc, segments_outside_the_memories);
  tcase_add_test(tc, unreadable_files_are_refused);
  suite_add_tcase(suite, tc);
  return suite;
}
