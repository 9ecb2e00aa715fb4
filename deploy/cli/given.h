// deploy/cli/given.h: what inputs say of a network whose file does not.
//
// The PULP tools' graphs hold integers in tensors of floats, and do not say whether their inputs
// are signed; and a graph in floats whose weights happen to be whole looks like theirs.
#ifndef DEPLOY_GIVEN_H
#define DEPLOY_GIVEN_H

#include "deploy/lower/lower.h"
#include "deploy/net/net.h"
#include "deploy/read/sample.h"

enum given { GIVEN_UNSIGNED, GIVEN_SIGNED, GIVEN_REALS };

// Of files for the network's inputs, in their order. Those that cannot be read say nothing.
enum given given_by(const struct net *net, const char *const *files, uint32_t count,
                    const struct sample_options *options);
// Of the first of a list (deploy/read/dataset.h).
enum given given_by_list(const struct net *net, const char *list,
                         const struct sample_options *options);

// --input-type int8 or uint8. False with the sentence.
bool given_option(const char *text, struct lower_options *options, struct net_error *error);
// Whether the network's inputs are so, if the option has been given. False with the sentence.
bool given_agrees(const char *text, const struct net *net, struct net_error *error);

#endif
