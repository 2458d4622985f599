/* The module, and regions: how the memory of a SharedArrayBuffer reaches C. */
#include "addon.h"

/*
 * The address of what an Int32Array shows. Node-API has no call for a SharedArrayBuffer itself; the
 * one for typed arrays takes views of one, in every Node.js that addon.test.ts tries.
 */
static void *memory_of(napi_env env, napi_value view, uint64_t *bytes) {
  napi_typedarray_type type;
  size_t length = 0;
  void *data = NULL;
  napi_status status = napi_get_typedarray_info(env, view, &type, &length, &data, NULL, NULL);
  if (status != napi_ok || type != napi_int32_array) return NULL;
  *bytes = length * sizeof(int32_t);
  return data;
}

static void forget_region(napi_env env, void *data, void *hint) {
  addon_region *region = (addon_region *)data;
  (void)hint;
  napi_delete_reference(env, region->view);
  free(region);
}

/* attach(view: Int32Array): region. Throws what busbar_attach says. */
static napi_value attach(napi_env env, napi_callback_info info) {
  addon_call call = addon_arguments(env, info);
  uint64_t bytes = 0;
  void *memory = memory_of(env, call.at[0], &bytes);
  if (memory == NULL) return addon_fail(env, "not an Int32Array");
  addon_region *region = (addon_region *)calloc(1, sizeof *region);
  busbar_status status = busbar_attach(&region->region, memory, bytes);
  if (status != BUSBAR_OK) {
    free(region);
    return addon_fail(env, busbar_status_text(status));
  }
  napi_create_reference(env, call.at[0], 1, &region->view);
  napi_value object = NULL;
  napi_create_external(env, region, forget_region, NULL, &object);
  return object;
}

/* word(view: Int32Array, index): what C reads there, after it has added one. For addon.test.ts. */
static napi_value word(napi_env env, napi_callback_info info) {
  addon_call call = addon_arguments(env, info);
  uint64_t bytes = 0;
  int32_t *memory = (int32_t *)memory_of(env, call.at[0], &bytes);
  if (memory == NULL) return addon_fail(env, "not an Int32Array");
  int32_t *at = &memory[(size_t)addon_double(&call, 1, 0)];
  return addon_number(env, bb_add(at, 1) + 1);
}

NAPI_MODULE_INIT() {
  addon_set(env, exports, "attach", attach);
  addon_set(env, exports, "word", word);
  addon_add_steps(env, exports);
  addon_add_crews(env, exports);
  addon_add_vanishing(env, exports);
  return exports;
}
