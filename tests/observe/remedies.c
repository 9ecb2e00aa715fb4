// tests/observe/remedies.c: docs/bottleneck-to-remedy.md keeps its promises
// (kernels/examples/stalls.c).
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/observe/tool.h"

START_TEST(each_remedy_removes_its_cause) {
  const char *dir = tool_directory();
  tool(NULL, PULPSIM " -q --stats %s/own.json %s", dir, KERNEL("stalls"));
  tool(NULL, PULPSIM " -q -s cluster.fpu.sharing=shared --stats %s/shared.json %s", dir,
       KERNEL("stalls"));
  const char *text = tool(NULL,
                          "cd %s; python3 -c \"import json\n"
                          "def regions(file):\n"
                          "  return {x['name']: x for x in json.load(open(file))['regions']}\n"
                          "own, shared = regions('own.json'), regions('shared.json')\n"
                          "n = 0\n"
                          "for name in [k[:-7] for k in own if k.endswith(' before')]:\n"
                          "  r = shared if name == 'fpu_contention' else own\n"
                          "  a, b = r[name + ' before'], r[name + ' after']\n"
                          "  x, y = [sum(c['stalls'][name] for c in k['cores']) for k in (a, b)]\n"
                          "  assert x >= 200 and y * 10 < x, (name, x, y)\n"
                          "  assert b['cycles'] < a['cycles'], name\n"
                          "  n += 1\n"
                          "print(n)\"",
                          dir);
  ck_assert_int_ge(atoi(text), 15);
}
END_TEST

// `idle` is no region's: cores that do not run yet mark none.
START_TEST(cores_are_not_idle_if_started_at_once) {
  const char *dir = tool_directory();
  tool(NULL, PULPSIM " -q -s soc.boot=soc --stats %s/before.json %s", dir, KERNEL("idle_before"));
  tool(NULL, PULPSIM " -q -s soc.boot=soc --stats %s/after.json %s", dir, KERNEL("idle_after"));
  tool(NULL,
       "cd %s; python3 -c \"import json\n"
       "a, b = [json.load(open(k + '.json')) for k in ('before', 'after')]\n"
       "x, y = [sum(c['stalls']['idle'] for c in k['cores']) for k in (a, b)]\n"
       "assert x >= 200 and y * 10 < x, (x, y)\n"
       "assert b['cycles'] < a['cycles']\"",
       dir);
}
END_TEST

// The guide has a section for every cause that there is.
START_TEST(every_cause_has_a_section) {
  const char *causes = tool(
      NULL, "sed -n 's/^  CAUSE([A-Z0-9_]*, \"\\([a-z0-9_]*\\)\".*/\\1/p' "
            "sim/core/cause.h | grep -v '^issue$' | while read c; do grep -q \"^## .*\\`$c\\`\" "
            "docs/bottleneck-to-remedy.md || echo $c; done");
  ck_assert_msg(causes[0] == '\0', "no section for %s", causes);
}
END_TEST

Suite *remedies_suite(void);
Suite *remedies_suite(void) {
  Suite *s = suite_create("remedies");
  TCase *c = tcase_create("remedies");
  tcase_set_timeout(c, 60);
  tcase_add_test(c, each_remedy_removes_its_cause);
  tcase_add_test(c, cores_are_not_idle_if_started_at_once);
  tcase_add_test(c, every_cause_has_a_section);
  suite_add_tcase(s, c);
  return s;
}
