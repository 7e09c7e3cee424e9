/* The properties' values; see settings.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "element/settings.h"

#include "element/mask-file.h"
#include "measures/loudness.h"
#include "refusals.h"

const HistoSettings histo_default_settings = {
  .backend = HISTO_BACKEND_AUTO,
  .device_id = -1,
  .meta = TRUE,
  .audio_level_meta = FALSE,
  .post_messages = FALSE,
  .message_interval = 0,
  .histogram = TRUE,
  .region_histograms = FALSE,
  .bins = {0, 0, 0},
  .measures = HISTO_GROUP_FLAG (HISTO_GROUP_BASIC),
  .roi_meta = FALSE,
  .window = 0,
  .every = 1,
  .alerts = {
#define PRESET(type, member, name, nick, preset, least, most, description) \
        .member = preset,
      HISTO_ALERT_SETTINGS (PRESET)
#undef PRESET
      .alerts = 0},
  .has_rules = FALSE,
  .rule_groups = 0,
  .max_in_flight = 4,
  .hold_previous = FALSE,
  .qos = FALSE,
  .page_lock_upstream = FALSE,
  .page_lock_limit = 256 * 1024 * 1024,
};

void
histo_settings_init (HistoSharedSettings * shared)
{
  g_mutex_init (&shared->lock);
  shared->values = histo_default_settings;
  shared->generation = 1;
  shared->must_configure = TRUE;
}

void
histo_settings_clear (HistoSharedSettings * shared)
{
  g_free (shared->regions_text);
  g_clear_pointer (&shared->regions, g_array_unref);
  g_free (shared->edges_text);
  g_clear_pointer (&shared->edges, g_bytes_unref);
  g_free (shared->rules_text);
  g_clear_pointer (&shared->rules, histo_rules_unref);
  g_free (shared->name);
  g_free (shared->mask_text);
  g_clear_pointer (&shared->mask, histo_mask_unref);
  for (guint i = 0; i < HISTO_N_REFUSALS; i++)
    g_free (shared->refusals[i]);
  g_mutex_clear (&shared->lock);
}

/* The values that are in force. The last possible range replaces one that was refused. Under the lock. */
static HistoSettings
values_in_force (const HistoSharedSettings * shared)
{
  HistoSettings values = shared->values;

  if (shared->range_is_refused) {
    values.bins.range_min = shared->valid_bins.range_min;
    values.bins.range_max = shared->valid_bins.range_max;
  }
  return values;
}

/* Returns the values that are in force, or will be with the next buffer. */
void
histo_settings_get (HistoSharedSettings * shared, HistoSettings * values)
{
  g_mutex_lock (&shared->lock);
  *values = values_in_force (shared);
  g_mutex_unlock (&shared->lock);
}

/* Under the lock. */
static void
make_copy (HistoSharedSettings * shared, HistoSettingsCopy * copy)
{
  copy->values = values_in_force (shared);
  g_clear_pointer (&copy->rules, histo_rules_unref);
  if (shared->rules != NULL)
    copy->rules = histo_rules_ref (shared->rules);
  copy->generation = shared->generation;
}

/**
 * histo_settings_update:
 * @copy: of the calling thread
 *
 * Brings the copy up to date. Copies only after a change, because it is called for each buffer.
 *
 * Returns: whether the engines must be configured before the next buffer
 */
gboolean
histo_settings_update (HistoSharedSettings * shared, HistoSettingsCopy * copy)
{
  /* This order: a change sets must_configure first. So if the copy has the change, must_configure
   * is set. */
  if (g_atomic_int_get (&shared->generation) != copy->generation) {
    g_mutex_lock (&shared->lock);
    make_copy (shared, copy);
    g_mutex_unlock (&shared->lock);
  }
  return g_atomic_int_get (&shared->must_configure);
}

/* Frees what the copy holds. */
void
histo_settings_copy_clear (HistoSettingsCopy * copy)
{
  g_clear_pointer (&copy->rules, histo_rules_unref);
}

void
histo_settings_request_configure (HistoSharedSettings * shared)
{
  g_mutex_lock (&shared->lock);
  g_atomic_int_set (&shared->must_configure, TRUE);
  g_mutex_unlock (&shared->lock);
}

/* ---- Refusals ----------------------------------------------------------------------- */

/* @reason: (transfer full). Under the lock. */
static void
refuse (HistoSharedSettings * shared, HistoRefusal kind, gchar * reason)
{
  g_free (shared->refusals[kind]);
  shared->refusals[kind] = reason;
}

/* Warns of values that were refused; see histo_post_refusals(). */
void
histo_settings_warn_of_refusals (HistoSharedSettings * shared,
    GstElement * element)
{
  static const gchar *const texts[HISTO_N_REFUSALS] = {
    [HISTO_REFUSED_BINS] = "Impossible bins",
    [HISTO_REFUSED_EDGES] = "Impossible edges of bins",
    [HISTO_REFUSED_REGIONS] = "Impossible regions",
    [HISTO_REFUSED_LOUDNESS] = "Loudness cannot be measured",
    [HISTO_REFUSED_RULES] = "Impossible rules",
    [HISTO_REFUSED_NAME] = "Impossible name of results",
    [HISTO_REFUSED_MASK] = "Impossible mask",
  };

  histo_post_refusals (element, &shared->lock, shared->refusals, texts, HISTO_N_REFUSALS);
}

/* ---- Configuring -------------------------------------------------------------------- */

/**
 * histo_settings_get_to_configure:
 * @copy: of the calling thread; brought up to date
 * @mask: (out) (transfer full) (nullable): the mask
 *
 * For a thread that configures the engines now: a change from now on is another one. The bounds of the range
 * are checked here, and not when they are set: an application sets one after the other.
 *
 * Returns: (transfer full) (nullable) (element-type HistoRegionSpec): the regions
 */
GArray *
histo_settings_get_to_configure (HistoSharedSettings * shared,
    HistoSettingsCopy * copy, HistoMask ** mask)
{
  const HistoBinSettings *bins = &shared->values.bins;
  GArray *regions;

  g_mutex_lock (&shared->lock);
  shared->range_is_refused = !histo_bin_settings_valid (bins);
  if (shared->range_is_refused)
    refuse (shared, HISTO_REFUSED_BINS,
        g_strdup_printf ("range-min=%g range-max=%g: range-min must be below "
            "range-max", bins->range_min, bins->range_max));
  make_copy (shared, copy);
  regions = shared->regions != NULL ? g_array_ref (shared->regions) : NULL;
  *mask = shared->mask != NULL ? histo_mask_ref (shared->mask) : NULL;
  g_atomic_int_set (&shared->must_configure, FALSE);
  g_mutex_unlock (&shared->lock);
  return regions;
}

/* ---- Changes ------------------------------------------------------------------------ */

/* Puts too many bins back to the old ones. Under the lock, as the next two. */
static gboolean
check_bins (HistoSharedSettings * shared, const HistoBinSettings * old)
{
  HistoBinSettings *bins = &shared->values.bins;

  if (bins->range_min != old->range_min || bins->range_max != old->range_max)
    shared->range_is_refused = FALSE;
  if (bins->bins > HISTO_MAX_BINS) {
    refuse (shared, HISTO_REFUSED_BINS,
        g_strdup_printf ("bins=%u: at most %u bins", bins->bins,
            HISTO_MAX_BINS));
    bins->bins = old->bins;
    return FALSE;
  }
  /* What is in force if a later range turns out to be impossible. */
  if (histo_bin_settings_valid (bins))
    shared->valid_bins = *bins;
  return TRUE;
}

#define NO_LOUDNESS "cudahisto was built without libebur128"

/* Puts `measures` and `alerts` back to the old ones if they need what was not built. */
static gboolean
check_groups (HistoSharedSettings * shared, const HistoSettings * old)
{
  if (histo_loudness_is_available ()
      || (histo_settings_groups (&shared->values)
          & HISTO_GROUP_FLAG (HISTO_GROUP_LOUDNESS)) == 0)
    return TRUE;
  refuse (shared, HISTO_REFUSED_LOUDNESS,
      g_strdup (NO_LOUDNESS));
  shared->values.measures = old->measures;
  shared->values.alerts.alerts = old->alerts.alerts;
  return FALSE;
}

/* `meta`, which becomes is_awaited, is not among them: it only chooses the priority of the engine's streams, which
 * is not worth the wait for all buffers in flight, and the loss of a previous frame. It counts from the next
 * configuring on. */
static gboolean
needs_configuring (const HistoSettings * values, const HistoSettings * old)
{
  return values->max_in_flight != old->max_in_flight
      || values->hold_previous != old->hold_previous
      || values->roi_meta != old->roi_meta
      || histo_settings_groups (values) != histo_settings_groups (old)
      || values->bins.bins != old->bins.bins
      || values->bins.range_min != old->bins.range_min
      || values->bins.range_max != old->bins.range_max;
}

/**
 * histo_settings_begin_change:
 *
 * Returns: (transfer none): the values. The calling thread alone may read and change them
 * until histo_settings_end_change().
 */
HistoSettings *
histo_settings_begin_change (HistoSharedSettings * shared)
{
  g_mutex_lock (&shared->lock);
  return &shared->values;
}

/**
 * histo_settings_end_change:
 * @old: the values at histo_settings_begin_change()
 * @now: (out): the values that are in force from now on
 *
 * Returns: %FALSE if a value is refused. It is put back to the old one, and
 * histo_settings_warn_of_refusals() reports why.
 */
gboolean
histo_settings_end_change (HistoSharedSettings * shared,
    const HistoSettings * old, HistoSettings * now)
{
  gboolean accepted;

  shared->values.measures |= HISTO_GROUP_FLAG (HISTO_GROUP_BASIC);
  accepted = check_bins (shared, &old->bins);
  accepted = check_groups (shared, old) && accepted;
  if (needs_configuring (&shared->values, old))
    g_atomic_int_set (&shared->must_configure, TRUE);
  g_atomic_int_inc (&shared->generation);
  *now = shared->values;
  g_mutex_unlock (&shared->lock);
  return accepted;
}

/**
 * histo_settings_set_regions:
 * @text: (nullable): the property's value
 *
 * Returns: %FALSE if the text describes no regions. The old ones are kept, and
 * histo_settings_warn_of_refusals() reports why.
 */
gboolean
histo_settings_set_regions (HistoSharedSettings * shared, const gchar * text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) regions = histo_region_specs_parse (text, &error);
  gboolean accepted = regions != NULL;

  g_mutex_lock (&shared->lock);
  if (!accepted) {
    refuse (shared, HISTO_REFUSED_REGIONS, g_strdup (error->message));
  } else if (g_strcmp0 (text, shared->regions_text) != 0) {
    g_free (shared->regions_text);
    shared->regions_text = g_strdup (text);
    g_clear_pointer (&shared->regions, g_array_unref);
    shared->regions = g_steal_pointer (&regions);
    g_atomic_int_set (&shared->must_configure, TRUE);
  }
  g_mutex_unlock (&shared->lock);
  return accepted;
}

static gchar *
dup_text (HistoSharedSettings * shared, gchar * const *text)
{
  gchar *copy;

  g_mutex_lock (&shared->lock);
  copy = g_strdup (*text);
  g_mutex_unlock (&shared->lock);
  return copy;
}

/* Returns: (transfer full) (nullable): the text of the regions */
gchar *
histo_settings_dup_regions (HistoSharedSettings * shared)
{
  return dup_text (shared, &shared->regions_text);
}

/**
 * histo_settings_set_edges:
 * @text: (nullable): the property's value
 *
 * Returns: as histo_settings_set_regions()
 */
gboolean
histo_settings_set_edges (HistoSharedSettings * shared, const gchar * text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) edges = NULL;
  const gboolean accepted = histo_bin_edges_parse (text, &edges, &error);

  g_mutex_lock (&shared->lock);
  if (!accepted) {
    refuse (shared, HISTO_REFUSED_EDGES, g_strdup (error->message));
  } else if (g_strcmp0 (text, shared->edges_text) != 0) {
    g_free (shared->edges_text);
    shared->edges_text = g_strdup (text);
    g_clear_pointer (&shared->edges, g_bytes_unref);
    shared->edges = g_steal_pointer (&edges);
    g_atomic_int_set (&shared->must_configure, TRUE);
  }
  g_mutex_unlock (&shared->lock);
  return accepted;
}

/* Returns: (transfer full) (nullable): the text of the edges */
gchar *
histo_settings_dup_edges (HistoSharedSettings * shared)
{
  return dup_text (shared, &shared->edges_text);
}

/* For a thread that has called histo_settings_get_to_configure(), and configures: a change since then makes it configure
 * once more.
 *
 * Returns: (transfer full) (nullable): those of HistoPlanSettings */
GBytes *
histo_settings_ref_edges (HistoSharedSettings * shared)
{
  GBytes *edges;

  g_mutex_lock (&shared->lock);
  edges = shared->edges != NULL ? g_bytes_ref (shared->edges) : NULL;
  g_mutex_unlock (&shared->lock);
  return edges;
}

/**
 * histo_settings_set_name:
 * @is_in_use: the element is not in the state NULL
 *
 * Returns: as histo_settings_set_regions()
 */
gboolean
histo_settings_set_name (HistoSharedSettings * shared, const gchar * name,
    gboolean is_in_use)
{
  gchar *reason = is_in_use ? g_strdup ("it can be set in the state NULL only")
      : histo_result_name_fault (name);
  const gboolean accepted = reason == NULL;

  g_mutex_lock (&shared->lock);
  if (!accepted) {
    refuse (shared, HISTO_REFUSED_NAME, reason);
  } else {
    g_free (shared->name);
    shared->name = g_strdup (name);
  }
  g_mutex_unlock (&shared->lock);
  return accepted;
}

/* Returns: (transfer full) (nullable): the result-name */
gchar *
histo_settings_dup_name (HistoSharedSettings * shared)
{
  return dup_text (shared, &shared->name);
}

/* Returns: (transfer full) (nullable): the mask that the text describes; NULL with an error */
static HistoMask *
read_mask (const gchar * text, GError ** error)
{
  return g_str_equal (text, HISTO_MASK_ALPHA) ? histo_mask_new_alpha () : histo_mask_file_read (text, error);
}

/**
 * histo_settings_set_mask:
 * @text: (nullable): the property's value
 * @is_in_use: the element is in PAUSED or PLAYING: a file is read now, and else by histo_settings_load_mask()
 *
 * Returns: as histo_settings_set_regions()
 */
gboolean
histo_settings_set_mask (HistoSharedSettings * shared, const gchar * text,
    gboolean is_in_use)
{
  g_autoptr (GError) error = NULL;
  const gboolean is_none = text == NULL || *text == '\0';
  HistoMask *mask = is_none || !is_in_use ? NULL : read_mask (text, &error);
  const gboolean accepted = error == NULL;

  g_mutex_lock (&shared->lock);
  if (!accepted) {
    refuse (shared, HISTO_REFUSED_MASK, g_strdup (error->message));
  } else {
    g_free (shared->mask_text);
    shared->mask_text = is_none ? NULL : g_strdup (text);
    if (!histo_mask_is_equal (mask, shared->mask))
      g_atomic_int_set (&shared->must_configure, TRUE);
    g_clear_pointer (&shared->mask, histo_mask_unref);
    shared->mask = mask;
  }
  g_mutex_unlock (&shared->lock);
  return accepted;
}

/* Returns: (transfer full) (nullable): the text of the mask */
gchar *
histo_settings_dup_mask (HistoSharedSettings * shared)
{
  return dup_text (shared, &shared->mask_text);
}

/* Reads the file of the mask, if there is one that has not been read. */
gboolean
histo_settings_load_mask (HistoSharedSettings * shared, GError ** error)
{
  g_autofree gchar *text = NULL;
  HistoMask *mask;

  g_mutex_lock (&shared->lock);
  if (shared->mask == NULL)
    text = g_strdup (shared->mask_text);
  g_mutex_unlock (&shared->lock);
  if (text == NULL)
    return TRUE;
  mask = read_mask (text, error);
  if (mask == NULL)
    return FALSE;
  g_mutex_lock (&shared->lock);
  /* Another thread may have set another mask meanwhile, which is the one to be used. */
  if (shared->mask == NULL && g_strcmp0 (shared->mask_text, text) == 0)
    shared->mask = g_steal_pointer (&mask);
  g_mutex_unlock (&shared->lock);
  g_clear_pointer (&mask, histo_mask_unref);
  return TRUE;
}

/* The next histo_settings_load_mask() reads the file again, which may have changed. */
void
histo_settings_unload_mask (HistoSharedSettings * shared)
{
  g_mutex_lock (&shared->lock);
  g_clear_pointer (&shared->mask, histo_mask_unref);
  g_mutex_unlock (&shared->lock);
}

/* Returns: (transfer full) (nullable): why these rules cannot be followed; NULL: they can */
static gchar *
find_rules_fault (const HistoRules * rules)
{
  if (!histo_loudness_is_available ()
      && (histo_rules_groups (rules) & HISTO_GROUP_FLAG (HISTO_GROUP_LOUDNESS)) != 0)
    return g_strdup (NO_LOUDNESS);
  return NULL;
}

/**
 * histo_settings_set_rules:
 * @text: (nullable): the property's value
 * @old, @now: (out): the values in force before and from now on
 *
 * Returns: %FALSE if the text has no rules of the property. The old ones are kept, and
 * histo_settings_warn_of_refusals() reports why.
 */
gboolean
histo_settings_set_rules (HistoSharedSettings * shared, const gchar * text,
    HistoSettings * old, HistoSettings * now)
{
  HistoSettings *values = &shared->values;
  g_autoptr (GError) error = NULL;
  guint line, column;
  HistoRules *rules = histo_rules_parse (text, HISTO_RULES_OF_ELEMENT, &line,
      &column, &error);
  gchar *fault = rules != NULL ? find_rules_fault (rules) :
      g_strdup_printf ("line %u, column %u: %s", line, column, error->message);
  const gboolean accepted = fault == NULL;

  g_mutex_lock (&shared->lock);
  *old = *values;
  if (!accepted) {
    refuse (shared, HISTO_REFUSED_RULES, fault);
  } else if (g_strcmp0 (text, shared->rules_text) != 0) {
    g_free (shared->rules_text);
    shared->rules_text = g_strdup (text);
    g_clear_pointer (&shared->rules, histo_rules_unref);
    values->has_rules = histo_rules_get_n (rules) > 0;
    values->rule_groups = histo_rules_groups (rules);
    if (values->has_rules)
      shared->rules = g_steal_pointer (&rules);
    if (needs_configuring (values, old))
      g_atomic_int_set (&shared->must_configure, TRUE);
    g_atomic_int_inc (&shared->generation);
  }
  *now = *values;
  g_mutex_unlock (&shared->lock);
  g_clear_pointer (&rules, histo_rules_unref);
  return accepted;
}

/* Returns: (transfer full) (nullable): the text of the rules */
gchar *
histo_settings_dup_rules (HistoSharedSettings * shared)
{
  return dup_text (shared, &shared->rules_text);
}
