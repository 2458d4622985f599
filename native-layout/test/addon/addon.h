/*
 * What the files of the test addon share: a plain Node-API module that does on behalf of JavaScript
 * what a native program does with busbar.h, step by step or on threads of its own.
 *
 * Not for use outside the tests: it trusts its caller (addon.ts) to hand each object to the
 * functions that it is for.
 */
#ifndef BUSBAR_TEST_ADDON_H
#define BUSBAR_TEST_ADDON_H

#define NAPI_VERSION 8
#include <node_api.h>
#include <stdlib.h>
#include <string.h>

#include "../../busbar.h"

/* A region, and what keeps its memory where it is. */
typedef struct {
  busbar_region region;
  napi_ref view;
} addon_region;

#define ADDON_MAX_ARGUMENTS 6

/* The arguments of a call from JavaScript; those that were left out are undefined. */
typedef struct {
  napi_env env;
  napi_value at[ADDON_MAX_ARGUMENTS];
} addon_call;

static inline addon_call addon_arguments(napi_env env, napi_callback_info info) {
  addon_call call;
  size_t count = ADDON_MAX_ARGUMENTS;
  call.env = env;
  napi_get_cb_info(env, info, &count, call.at, NULL, NULL);
  return call;
}

static inline void *addon_pointer(const addon_call *call, int at) {
  void *pointer = NULL;
  napi_get_value_external(call->env, call->at[at], &pointer);
  return pointer;
}

/* What is no number reads as NaN. */
static inline double addon_double(const addon_call *call, int at, double otherwise) {
  double value;
  return napi_get_value_double(call->env, call->at[at], &value) == napi_ok ? value : otherwise;
}

static inline size_t addon_name(const addon_call *call, int at, char *name, size_t size) {
  size_t length = 0;
  napi_get_value_string_utf8(call->env, call->at[at], name, size, &length);
  return length;
}

static inline napi_value addon_number(napi_env env, double value) {
  napi_value number = NULL;
  napi_create_double(env, value, &number);
  return number;
}

static inline napi_value addon_boolean(napi_env env, bool value) {
  napi_value boolean = NULL;
  napi_get_boolean(env, value, &boolean);
  return boolean;
}

static inline napi_value addon_fail(napi_env env, const char *text) {
  napi_throw_error(env, NULL, text);
  return NULL;
}

static inline void addon_free(napi_env env, void *data, void *hint) {
  (void)env;
  (void)hint;
  free(data);
}

/* Hands `data`, which was allocated, to JavaScript, whose collector frees it. */
static inline napi_value addon_own(napi_env env, void *data) {
  napi_value object = NULL;
  napi_create_external(env, data, addon_free, NULL, &object);
  return object;
}

static inline void addon_set(napi_env env, napi_value object, const char *name,
                             napi_callback function) {
  napi_value value = NULL;
  napi_create_function(env, name, NAPI_AUTO_LENGTH, function, NULL, &value);
  napi_set_named_property(env, object, name, value);
}

/* The parts: each adds its functions to the exports. */
void addon_add_steps(napi_env env, napi_value exports);
void addon_add_crews(napi_env env, napi_value exports);
void addon_add_vanishing(napi_env env, napi_value exports);

#endif
