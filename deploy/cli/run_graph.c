// deploy/cli/run_graph.c
#include "run_graph.h"

#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "deploy/cli/dump.h"
#include "deploy/op/op.h"

enum { SHOWN = 16 };

static struct sample_raw raw_of(const struct array *to) {
  enum array_type type = to->type;
  return (struct sample_raw){type == ARRAY_U8   ? SAMPLE_U8
                             : type == ARRAY_I8 ? SAMPLE_I8
                                                : SAMPLE_F32,
                             array_count(to)};
}

// From the last dimension on; those that are left over are 1. Of raw files nothing is said: they
// are as the model has its input.
static bool same_dims(const struct sample *sample, const struct array *to) {
  int rank = (int)sample->rank, most = rank > to->rank ? rank : to->rank;
  bool same = true;
  for (int i = 1; i <= most; i++)
    same &= (i <= rank ? (int64_t)sample->dims[rank - i] : 1) ==
            (i <= to->rank ? to->dims[to->rank - i] : 1);
  return same || rank == 1;
}

// A picture's elements stand channel by channel in the file.
static bool fill_picture(const struct sample *sample, struct array *to, struct net_error *error) {
  size_t c = (size_t)to->dims[1], pixels = (size_t)to->dims[2] * (size_t)to->dims[3];
  size_t *order = malloc((array_count(to) + 1) * sizeof *order);
  struct net_tensor input = {
      .h = (uint32_t)to->dims[2], .w = (uint32_t)to->dims[3], .c = (uint32_t)c, .planes = true};
  bool good = order && sample_order(sample, &input, order, error);
  for (size_t i = 0; good && i < array_count(to); i++)
    array_set(to, i, sample->values[order[i % pixels * c + i / pixels]]);
  free(order);
  return good;
}

static bool fill(const struct sample *sample, struct array *to, struct net_error *error) {
  char text[ARRAY_SHAPE_TEXT];
  array_allocate(to);
  if (to->rank == 4 && to->dims[0] == 1 && !same_dims(sample, to))
    return fill_picture(sample, to, error);
  if (sample->count != array_count(to)) {
    error->status = DEPLOY_BAD_MODEL;
    return net_fail(error, "%zu elements, but the input is %s", sample->count,
                    array_shape_text(to, text));
  }
  for (size_t i = 0; i < sample->count; i++)
    array_set(to, i, sample->values[i]);
  return true;
}

static bool put_input(const struct graph *graph, struct op_run *run, uint32_t i, const char *path,
                      const struct sample_options *options, struct net_error *error) {
  const struct graph_value *value = &graph->values[graph->inputs[i]];
  struct array to = value->array;
  struct sample sample;
  struct net_error reason = {.text = ""};
  to.data = NULL;
  if (!sample_read(path, raw_of(&to), options, &sample, error))
    return false;
  bool good = fill(&sample, &to, &reason);
  sample_free(&sample);
  if (good) {
    op_run_set(run, graph->inputs[i], &to);
    return true;
  }
  array_clear(&to);
  error->status = reason.status;
  return net_fail(error, "%.200s: %.250s", path, reason.text);
}

static void print_output(const struct graph_value *value, const struct array *a) {
  char text[ARRAY_SHAPE_TEXT];
  size_t count = array_count(a), best = 0;
  for (size_t i = 1; i < count; i++)
    best = array_get(a, i) > array_get(a, best) ? i : best;
  printf("%s: %s %s", value->name, array_type_name(a->type), array_shape_text(a, text));
  if (count)
    printf(", largest %g at %zu", array_get(a, best), best);
  fputs("\n ", stdout);
  for (size_t i = 0; i < count && i < SHOWN; i++)
    printf(" %.7g", array_get(a, i));
  puts(count > SHOWN ? " ..." : "");
}

static int dump_values(const struct graph *graph, const struct op_run *run, const char *dump) {
  int status = dump_directory(dump);
  for (uint32_t i = 0; status == 0 && i < graph->value_count; i++) {
    const struct array *a = op_run_get(run, (int)i);
    if (a->data && !graph->values[i].array.data) // constants are in the file
      status = dump_array(a, (int)i, graph->values[i].name, dump);
  }
  return status;
}

static bool check_inputs(const struct graph *graph, struct net_error *error) {
  for (uint32_t i = 0; i < graph->input_count; i++) {
    const struct graph_value *v = &graph->values[graph->inputs[i]];
    if (!array_type_size(v->array.type) || !array_shape_ok(&v->array)) {
      error->status = DEPLOY_UNSUPPORTED;
      return net_fail(error, "input '%.80s' leaves its shape open; give it: --input-shape CxHxW",
                      v->name);
    }
  }
  return true;
}

int run_graph(const struct graph *graph, const char *const *inputs, uint32_t count,
              const struct sample_options *options, const char *dump) {
  struct net_error error = {.text = ""};
  if (count != graph->input_count)
    return deploy_fail(DEPLOY_USAGE, "the network has %u inputs, --input is given %u times",
                       graph->input_count, count);
  struct op_run *run = op_run_new(graph);
  bool good = check_inputs(graph, &error);
  for (uint32_t i = 0; good && i < count; i++)
    good = put_input(graph, run, i, inputs[i], options, &error);
  good = good && op_run_execute(run, &error);
  for (uint32_t i = 0; good && i < graph->output_count; i++)
    print_output(&graph->values[graph->outputs[i]], op_run_get(run, graph->outputs[i]));
  int status = !good  ? deploy_fail_with(&error, DEPLOY_BAD_MODEL)
               : dump ? dump_values(graph, run, dump)
                      : 0;
  op_run_free(run);
  return status;
}
