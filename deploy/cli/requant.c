// deploy/cli/requant.c: pulpsim-deploy requant.
#include <getopt.h>

#include "cli.h"
#include "deploy/quant/requant.h"
#include "deploy/read/load.h"

static int help(void) {
  puts("usage: pulpsim-deploy requant MODEL -o FILE\n\n"
       "Writes the integer network of a model with requantizations in 32 bits, (kappa * sum +\n"
       "lambda) >> shift as DORY has them, and unsigned codes between its layers: the fastest\n"
       "kernels take it. A layer's codes then differ by one at the most, on the same inputs;\n"
       "layers where they could differ by more stay as they are.\n\n"
       "  -o, --output FILE      the integer network (- for stdout)");
  return 0;
}

static int work(const char *model, const char *path) {
  struct net_error error = {.text = ""};
  struct net *net = load_net(model, &error);
  if (!net || !net_check(net, &error)) {
    net_free(net);
    return deploy_fail_with(&error, DEPLOY_BAD_MODEL);
  }
  struct requant_count count = requant(net);
  int status = net_check(net, &error) ? deploy_write_net(net, path)
                                      : deploy_fail_with(&error, DEPLOY_UNSUPPORTED);
  if (status == 0)
    printf("%s: %u layers in 32 bits, %u as they were; %u tensors are unsigned now\n", path,
           count.changed, count.kept, count.unsigned_now);
  net_free(net);
  return status;
}

int cli_requant(int argc, char **argv) {
  static const struct option options[] = {
      {"output", required_argument, NULL, 'o'}, {"help", no_argument, NULL, 'h'}, {0}};
  const char *path = NULL;
  for (int option; (option = getopt_long(argc, argv, "ho:", options, NULL)) != -1;) {
    if (option == 'h')
      return help();
    if (option != 'o')
      return DEPLOY_USAGE;
    path = optarg;
  }
  if (argc - optind != 1 || !path)
    return deploy_fail(DEPLOY_USAGE,
                       "give one model and -o; `pulpsim-deploy requant --help` shows how");
  int status = deploy_results(&(struct result_name){"-o", path, false}, 1);
  return status ? status : work(argv[optind], path);
}
