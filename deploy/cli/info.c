// deploy/cli/info.c: pulpsim-deploy info.
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "calibration.h"
#include "cli.h"
#include "deploy/cli/picture.h"
#include "deploy/op/op.h"
#include "deploy/quant/real.h"
#include "deploy/read/load.h"

static int help(void) {
  puts("usage: pulpsim-deploy info MODEL [--svg FILE] [--input-shape CxHxW]\n"
       "       pulpsim-deploy info --operators\n\n"
       "Lists the layers of a network: shapes, bits, multiply-accumulates, bytes. Ends with 69 if\n"
       "an operator is not supported, and says which.\n\n"
       "  --svg FILE             a picture of them (- for stdout)\n"
       "  --input-shape CxHxW    where a network in floats leaves it open\n"
       "  --operators            lists the ONNX operators that `run` executes, and no network");
  return 0;
}

static const char *precision(const struct net_tensor *t, bool real, char text[16]) {
  if (real)
    return "float";
  snprintf(text, 16, "%s%u", t->is_signed ? "int" : "uint", t->bits);
  return text;
}

static void print_layer(const struct net *net, uint32_t i, bool real) {
  const struct net_layer *l = &net->layers[i];
  const struct net_tensor *in = net_input(net, l, 0), *out = net_output(net, l);
  char from[40], to[40], window[40] = "", a[16], b[16];
  snprintf(from, sizeof from, "%ux%ux%u", in->h, in->w, in->c);
  snprintf(to, sizeof to, "%ux%ux%u", out->h, out->w, out->c);
  if (l->stride_h != l->stride_w)
    snprintf(window, sizeof window, "%ux%u/%ux%u", l->kernel_h, l->kernel_w, l->stride_h,
             l->stride_w);
  else if (l->kernel_h * l->kernel_w > 1 || l->stride_h > 1)
    snprintf(window, sizeof window, "%ux%u/%u", l->kernel_h, l->kernel_w, l->stride_h);
  printf("%4u %-9s %-7s %-14s %-14s %-6s %-6s %11llu %9zu %9zu  %s\n", i, net_kind_name(l->kind),
         window, from, to, precision(in, real, a), precision(out, real, b),
         (unsigned long long)net_macs(net, l), net_weight_bytes(net, l), net_tensor_bytes(out),
         l->name);
}

static void print_net(const struct net *net, bool real) {
  unsigned long long macs = 0;
  size_t weights = 0, parameters = 0, most = 0;
  puts("   # layer     window  input          output         in     out           MACs   weights "
       "   output  name");
  for (uint32_t i = 0; i < net->layer_count; i++) {
    const struct net_layer *l = &net->layers[i];
    size_t live = net_tensor_bytes(net_output(net, l));
    for (uint32_t k = 0; k < l->input_count; k++)
      live += net_tensor_bytes(net_input(net, l, k));
    most = live > most ? live : most;
    macs += net_macs(net, l);
    weights += net_weight_bytes(net, l);
    parameters += real ? 0 : net_parameter_bytes(net, l);
    print_layer(net, i, real);
  }
  printf("\n%u layers, %llu MACs, %zu bytes of weights", net->layer_count, macs, weights);
  if (!real)
    printf(", %zu of normalization", parameters);
  printf("; inputs and output of a layer take %zu bytes at most\n", most);
}

static int show(const struct net *net, bool real, uint32_t quantizers, const char *svg) {
  print_net(net, real);
  if (real)
    puts("in floats: bytes as after quantization to 8 bits; `pulpsim-deploy quantize` makes "
         "integers");
  if (quantizers)
    printf("%u QuantizeLinear are left out there\n", quantizers);
  if (!svg)
    return 0;
  struct result_file out;
  if (!deploy_create(&out, svg))
    return DEPLOY_NO_OUTPUT;
  picture_write(net, real, out.file);
  return deploy_finish(&out, svg);
}

static int info(const char *model, const char *svg, const struct tidy_shape *shape) {
  struct net_error error = {.text = ""};
  struct real_net *real = NULL;
  struct net *net = load_any(model, shape, &real, &error);
  if (!net && !real)
    return deploy_fail_with(&error, DEPLOY_BAD_MODEL);
  int status = show(net ? net : real->net, real != NULL, real ? real->quantizers : 0, svg);
  net_free(net);
  real_free(real);
  return status;
}

static int list_operators(void) {
  for (size_t i = 0; i < op_count(); i++) {
    const char *domain, *name = op_name(i, &domain);
    printf("%s%s%s\n", domain, *domain ? "." : "", name);
  }
  return 0;
}

int cli_info(int argc, char **argv) {
  static const struct option options[] = {{"svg", required_argument, NULL, 's'},
                                          {"input-shape", required_argument, NULL, 'i'},
                                          {"operators", no_argument, NULL, 'o'},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
  struct tidy_shape shape = {0, 0, 0};
  struct net_error error = {.text = ""};
  const char *svg = NULL;
  for (int option; (option = getopt_long(argc, argv, "h", options, NULL)) != -1;) {
    if (option == 'h')
      return help();
    if (option == '?')
      return DEPLOY_USAGE;
    if (option == 'o')
      return list_operators();
    if (option == 's')
      svg = optarg;
    else if (!calibration_shape(optarg, &shape, &error))
      return deploy_fail(DEPLOY_USAGE, "%s", error.text);
  }
  if (argc - optind != 1)
    return deploy_fail(DEPLOY_USAGE, "give one model; `pulpsim-deploy info --help` shows how");
  int status = deploy_results(&(struct result_name){"--svg", svg, false}, 1);
  return status ? status : info(argv[optind], svg, &shape);
}
