#define _GNU_SOURCE
#include "base/libraries.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stddef.h>

/* Parts of the program's own dynamic section. */
typedef struct parts {
  const ElfW(Sym) * symbols;
  const char *names;
  const ElfW(Rela) * calls; /* of functions, resolved when they are called first */
  size_t n;
} parts;

/* Some systems write addresses into the section as it is loaded, others leave what the file says. */
static const void *address(const struct link_map *program, ElfW(Addr) a) {
  return (const void *)(a < program->l_addr ? program->l_addr + a : a);
}

static parts find_parts(const struct link_map *program) {
  parts p = {0};
  for (const ElfW(Dyn) *d = program->l_ld; d->d_tag != DT_NULL; d++) {
    if (d->d_tag == DT_SYMTAB) p.symbols = address(program, d->d_un.d_ptr);
    if (d->d_tag == DT_STRTAB) p.names = address(program, d->d_un.d_ptr);
    if (d->d_tag == DT_JMPREL) p.calls = address(program, d->d_un.d_ptr);
    if (d->d_tag == DT_PLTRELSZ) p.n = d->d_un.d_val / sizeof *p.calls;
  }
  return p;
}

tx_status tx_libraries_check(void) {
  struct link_map *program = NULL;
  void *self = dlopen(NULL, RTLD_LAZY);
  if (!self || dlinfo(self, RTLD_DI_LINKMAP, &program) != 0 || !program) return TX_OK;
  const parts p = find_parts(program);
  if (!p.symbols || !p.names || !p.calls) return TX_OK; /* all was resolved as it was loaded */
  for (size_t i = 0; i < p.n; i++) {
    const ElfW(Sym) *s = &p.symbols[ELF64_R_SYM(p.calls[i].r_info)];
    const char *name = p.names + s->st_name;
    if (ELF64_ST_BIND(s->st_info) == STB_WEAK || s->st_shndx != SHN_UNDEF || !name[0]) continue;
    TX_REQUIRE(
        dlsym(RTLD_DEFAULT, name), TX_ERR_LIBRARY,
        "the libraries found have no function %s, which this program was built with: another "
        "version of one comes first; take it out of LD_LIBRARY_PATH, or build again (`ldd "
        "tendex' shows which are found)",
        name);
  }
  return TX_OK;
}
