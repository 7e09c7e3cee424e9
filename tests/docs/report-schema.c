/* Prints docs/report.schema.json: the JSON Schema of the lines that cudahisto-report writes. Figures, groups, components,
 * choices and what they mean come from the table of measures, the members of a summary from the tables that write and read
 * it. The tables here have what the writers of frames, images and comparisons add in their own words.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <json-glib/json-glib.h>
#include <stdio.h>
#include <string.h>

#include "compare/pictures.h"
#include "compare/sound-difference.h"
#include "compare/tolerance.h"
#include "images/image-set.h"
#include "summary/json.h"
#include "summary/schema.h"

typedef ReportMember Member;
typedef ReportShape Shape;

#define LOOKS(...) .members = (const Member[]) {__VA_ARGS__, NO_MEMBER}
#define IS(key, type_of, ...) {.name = key, .type = type_of, __VA_ARGS__}

/* ---- Definitions that no table has ------------------------------------------------------------- */

static const struct
{
  const gchar *name, *schema;
} definitions[] = {
  {"count", "{\"type\": \"integer\", \"minimum\": 0}"},
  {"positive", "{\"type\": \"integer\", \"minimum\": 1}"},
  {"time", "{\"description\": \"In ns; absent if unknown.\", \"type\": \"integer\", \"minimum\": 0}"},
  {"shift", "{\"description\": \"In ns: how much later the stream of B begins.\", \"type\": \"integer\"}"},
  {"moved", "{\"description\": \"In pixels, to the right or down.\", \"type\": \"integer\"}"},
  {"number", "{\"description\": \"A number that is NaN is absent; infinities are texts.\","
        " \"oneOf\": [{\"type\": \"number\"}, {\"enum\": [\"inf\", \"-inf\"]}]}"},
  {"channel-figure", "{\"description\": \"Of each channel: NaN is null.\", \"type\": \"array\","
        " \"items\": {\"oneOf\": [{\"$ref\": \"#/definitions/number\"}, {\"type\": \"null\"}]}}"},
  {"number-or-name", "{\"oneOf\": [{\"type\": \"number\"}, {\"type\": \"string\"}]}"},
  {"tolerance", "{\"type\": \"number\"}"},
  {"correlation", "{\"type\": \"number\", \"minimum\": -1, \"maximum\": 1}"},
  {"zero-or-one", "{\"enum\": [0, 1]}"},
  {"depth", "{\"description\": \"Bits of a sample; only of native components, and not of floating-point samples.\","
        " \"type\": \"integer\", \"minimum\": 1, \"maximum\": 32}"},
  {"histogram", "{\"type\": \"array\", \"items\": {\"$ref\": \"#/definitions/count\"}}"},
  {"image-channels", "{\"const\": [\"R\", \"G\", \"B\"]}"},
  {"channel-numbers", "{\"description\": \"Of R, G and B.\", \"type\": \"array\","
        " \"items\": {\"$ref\": \"#/definitions/number\"}, \"minItems\": 3, \"maxItems\": 3}"},
  {"channel-histograms", "{\"description\": \"Of R, G and B: the number of samples of each code, from 0 on.\","
        " \"type\": \"array\", \"items\": {\"$ref\": \"#/definitions/histogram\"}, \"minItems\": 3, \"maxItems\": 3}"},
  {"file-formats", "{\"description\": \"The number of images of each.\", \"type\": \"object\","
        " \"additionalProperties\": {\"$ref\": \"#/definitions/count\"}}"},
};

/* Of GST_VIDEO_FORMATS_ALL, and of sound. */
static const gchar *const native_names[] = { "Y", "U", "V", "R", "G", "B", "A" };

#define CHANNEL_NAMES "ch[0-9]+"

/* ---- Frames and windows of sound ---------------------------------------------------------------- */

static const Shape component_shape = {
  .name = "component",
  .text = "A component of one result: docs/result.md. With the group level, a channel of sound has its figures, too. "
      "histogram only with --json-histograms.",
  LOOKS (IS ("", FIGURES,.infos = histo_figures,.n = HISTO_N_FIGURES),
      IS ("", FIGURES,.flags = OF_AUDIO,.infos = histo_level_figures,.n = HISTO_N_LEVEL_FIGURES),
      IS ("depth", DEFINED,.definition = "depth"), IS ("histogram", INTEGERS))
};

static const Shape joint_shape = {
  .name = "joint",
  .text = "Counts of two numbers together: the count of column c and row r is number r * columns + c of the histogram.",
  LOOKS (IS ("count", COUNT,.flags = ALWAYS), IS ("columns", COUNT,.flags = ALWAYS), IS ("rows", COUNT,.flags = ALWAYS),
      IS ("x", TEXT,.flags = ALWAYS), IS ("y", TEXT,.flags = ALWAYS), IS ("histogram", INTEGERS))
};

static const Shape range_shape = {
  .name = "range",
  .text = "A figure over all results that have it: their number, the extremes, the mean and the sum, and the last one.",
  LOOKS (IS ("n", COUNT,.flags = ALWAYS), IS ("min", NUMBER), IS ("max", NUMBER), IS ("mean", NUMBER), IS ("sum", NUMBER),
      IS ("last", NUMBER))
};

static const Shape zone_shape = {
  .most = HISTO_N_ZONES,
  LOOKS (IS ("transitions", COUNT,.flags = ALWAYS), IS ("red-transitions", COUNT,.flags = ALWAYS),
      IS ("state", CHOICE,.flags = ALWAYS,.choice = HISTO_GROUP_FIGURE_FLASH_state))
};

static const Member flash_members[] = {
  IS ("", GROUP,.n = HISTO_GROUP_FLASH),
  IS ("zones", LIST,.n = HISTO_N_ZONES,.shape = &zone_shape,.text = "Of the picture, row by row."), NO_MEMBER
};

static const Member signal_members[] = {
  IS ("", GROUP,.n = HISTO_GROUP_SIGNAL), IS ("bits-used", INTEGERS), NO_MEMBER
};

static const Member area_members[] = {
  IS ("x", INT,.flags = ALWAYS), IS ("y", INT,.flags = ALWAYS), IS ("width", INT,.flags = ALWAYS),
  IS ("height", INT,.flags = ALWAYS), NO_MEMBER
};

/* The groups whose members are not only rows of the table. */
static const Member *const group_members[HISTO_N_GROUPS] = {
  [HISTO_GROUP_SIGNAL] = signal_members,[HISTO_GROUP_AREA] = area_members,[HISTO_GROUP_FLASH] = flash_members,
};

static Member groups[HISTO_N_GROUPS][2];
static Shape group_shapes[HISTO_N_GROUPS];

static const Shape region_shape = {
  .name = "region",
  LOOKS (IS ("name", TEXT,.flags = ALWAYS), IS ("x", COUNT,.flags = ALWAYS), IS ("y", COUNT,.flags = ALWAYS),
      IS ("width", COUNT,.flags = ALWAYS), IS ("height", COUNT,.flags = ALWAYS), IS ("", NATIVE_COMPONENTS),
      IS ("", GROUPS,.n = HISTO_GROUP_FLAG (HISTO_GROUP_SCOPES)))
};

static const Shape pair_shape = {
  .name = "pair",
  LOOKS (IS ("first", TEXT,.flags = ALWAYS), IS ("second", TEXT,.flags = ALWAYS),
      IS ("", FIGURES,.infos = histo_pair_figures,.n = HISTO_N_PAIR_FIGURES))
};

static const Shape loudness_shape = {
  LOOKS (IS ("", FIGURES,.infos = histo_loudness_figures,.n = HISTO_N_LOUDNESS_FIGURES),
      IS ("", ARRAYS,.infos = histo_loudness_arrays,.n = HISTO_N_LOUDNESS_ARRAYS))
};

static const gchar *const video[] = { HISTO_MEDIA_VIDEO }, *const audio[] = { HISTO_MEDIA_AUDIO };
static const gchar *const media[] = { HISTO_MEDIA_VIDEO, HISTO_MEDIA_AUDIO };

#define RESULT(medium) \
  IS ("input", TEXT, .flags = ALWAYS, .text = "The name of the input, as it was written."), \
  IS ("stream", COUNT, .flags = ALWAYS), IS ("timestamp", TIME), IS ("stream-time", TIME), IS ("duration", TIME), \
  IS ("media", NAME, .flags = ALWAYS, NAMED (medium)), IS ("format", TEXT, .flags = ALWAYS), \
  IS ("backend", TEXT, .flags = ALWAYS, NAMED (report_backend_names)), IS ("components", TEXTS, .flags = ALWAYS), \
  IS ("", NATIVE_COMPONENTS)

static const Shape frame_shape = {
  .name = "frame",
  .text = "A frame of video.",
  LOOKS (RESULT (video), IS ("width", COUNT,.flags = ALWAYS), IS ("height", COUNT,.flags = ALWAYS),
      IS ("colorimetry", TEXT), IS ("", GROUPS), IS ("regions", LIST,.shape = &region_shape))
};

static const Shape window_shape = {
  .name = "window",
  .text = "100 ms of sound.",
  LOOKS (RESULT (audio), IS ("rate", COUNT,.flags = ALWAYS), IS ("channels", COUNT,.flags = ALWAYS),
      IS ("samples", COUNT,.flags = ALWAYS), IS ("pairs", LIST,.shape = &pair_shape),
      IS ("loudness", OBJECT,.shape = &loudness_shape))
};

/* ---- Images ------------------------------------------------------------------------------------- */

#define OF_CHANNELS(key, ...) IS (key, DEFINED, .definition = "channel-numbers", __VA_ARGS__)

static const Shape image_shape = {
  .name = "image",
  .text = "An image of a set. Channels are from 0 to 1. One that cannot be measured has a problem instead.",
  LOOKS (IS ("input", TEXT,.flags = ALWAYS), IS ("path", TEXT,.flags = ALWAYS), IS ("uri", TEXT), IS ("problem", TEXT),
      IS ("file-format", TEXT), IS ("decoder", TEXT), IS ("format", TEXT), IS ("width", COUNT), IS ("height", COUNT), IS ("alpha", BOOLEAN),
      IS ("orientation", TEXT), IS ("transfer", TEXT), OF_CHANNELS ("mean"), OF_CHANNELS ("std"), OF_CHANNELS ("min"), OF_CHANNELS ("max"), IS ("brightness", NUMBER),
      IS ("clipped", NUMBER), IS ("sharpness", NUMBER), IS ("scale", NUMBER), IS ("negative", NUMBER),
      IS ("infinite", NUMBER), IS ("histograms", DEFINED,.definition = "channel-histograms"))
};

static const Shape channels_shape = {
  .name = "channel-figures",
  .text = "Of R, G and B, from 0 to 1.",
  LOOKS (OF_CHANNELS ("mean",.flags = ALWAYS), OF_CHANNELS ("std",.flags = ALWAYS))
};

static const Shape sizes_shape = {
  .name = "size-range",
  LOOKS (IS ("min", COUNT,.flags = ALWAYS), IS ("max", COUNT,.flags = ALWAYS))
};

static const gchar *const image_problems[] = {
  REPORT_PROBLEM_UNREADABLE, REPORT_PROBLEM_MISSING, REPORT_PROBLEM_INTERRUPTED
};

static const Shape image_problem_shape = {
  LOOKS (IS ("type", TEXT,.flags = ALWAYS, NAMED (image_problems)), IS ("path", TEXT), IS ("uri", TEXT),
      IS ("text", TEXT,.flags = ALWAYS))
};

static const Shape outlier_shape = {
  .name = "outlier",
  LOOKS (IS ("path", TEXT,.flags = ALWAYS), IS ("uri", TEXT), IS ("value", NUMBER,.flags = ALWAYS))
};

static Member outliers[REPORT_N_OUTLIERS + 1];
static const Shape outliers_shape = {.members = outliers };

static const Shape image_set_shape = {
  .name = "image-set",
  .text = "The summary of a set of images.",
  LOOKS (IS ("input", TEXT,.flags = ALWAYS), IS ("uri", TEXT), IS ("inputs", COUNT,.flags = ALWAYS),
      IS ("complete", BOOLEAN,.flags = ALWAYS), IS ("problem", TEXT),
      IS ("problems", LIST,.n = 1,.shape = &image_problem_shape), IS ("settings", TEXT,.flags = ALWAYS), IS ("seconds", NUMBER),
      IS ("images", COUNT,.flags = ALWAYS), IS ("broken", COUNT,.flags = ALWAYS), IS ("alpha", COUNT,.flags = ALWAYS),
      IS ("pixels", COUNT), IS ("width", OBJECT,.shape = &sizes_shape), IS ("height", OBJECT,.shape = &sizes_shape),
      IS ("file-formats", DEFINED,.definition = "file-formats"), IS ("decoders", DEFINED,.definition = "file-formats"),
      IS ("transfers", DEFINED,.definition = "file-formats"), IS ("turned", COUNT), IS ("channels", DEFINED,.definition = "image-channels"),
      IS ("pooled", OBJECT,.shape = &channels_shape), IS ("per-image", OBJECT,.shape = &channels_shape),
      IS ("histograms", DEFINED,.definition = "channel-histograms"), IS ("outliers", OBJECT,.shape = &outliers_shape))
};

/* ---- Comparisons -------------------------------------------------------------------------------- */

static const Shape compared_input_shape = {
  .name = "compared-input",
  LOOKS (IS ("input", TEXT,.flags = ALWAYS), IS ("uri", TEXT), IS ("complete", BOOLEAN,.flags = ALWAYS),
      IS ("duration", TIME))
};

static const Shape compared_stream_shape = {
  .name = "compared-stream",
  LOOKS (IS ("stream", COUNT,.flags = ALWAYS), IS ("media", NAME,.flags = ALWAYS, NAMED (media)),
      IS ("title", TEXT,.flags = ALWAYS))
};

/* As add_facts() of compare.c names them. */
static const gchar *const facts[] = {
  "codec", "format", "language", "rate", "channels", "size", "pixels", "frame-rate", "colorimetry", "field-order",
  "measured-field-order", "rotation", "timecode", "max-cll", "max-fall", "mastering-display", "frames", "starts", "measured"
};

static const Shape fact_shape = {
  LOOKS (IS ("fact", TEXT,.flags = ALWAYS, NAMED (facts)), IS ("a", TEXT), IS ("b", TEXT))
};

static const Shape unmatched_shape = {
  .name = "unmatched-results",
  .text = "start and end count from the start of their own stream.",
  LOOKS (IS ("results", COUNT,.flags = ALWAYS), IS ("length", TIME,.flags = ALWAYS), IS ("start", TIME,.flags = ALWAYS),
      IS ("end", TIME,.flags = ALWAYS))
};

static const Shape only_in_shape = {
  .text = "Results without a counterpart.",
  LOOKS (IS ("a", OBJECT,.shape = &unmatched_shape), IS ("b", OBJECT,.shape = &unmatched_shape))
};

static const Shape compared_figure_shape = {
  .name = "compared-figure",
  .text = "A figure that differs. Of the frames it is the worst one, with the values and the time there; start and end are "
      "the times of the first and the last frame that differ; of the whole stream time, start, end, results, "
      "different-results and mean-difference are absent. Names, such as those of states, have only a and b. b is in the "
      "range of a.",
  LOOKS (IS ("figure", TEXT,.flags = ALWAYS), IS ("region", TEXT), IS ("unit", TEXT),
      IS ("a", DEFINED,.flags = ALWAYS,.definition = "number-or-name"),
      IS ("b", DEFINED,.flags = ALWAYS,.definition = "number-or-name"), IS ("difference", NUMBER),
      IS ("tolerance", NUMBER), IS ("time", TIME), IS ("start", TIME), IS ("end", TIME), IS ("results", COUNT),
      IS ("different-results", COUNT), IS ("mean-difference", NUMBER))
};

/* As in compare-writer.c. */
static const gchar *const verdicts[] = { "SAME", "WITHIN TOLERANCE", "EQUAL FIGURES", "DIFFERENT" };

static const gchar *const sides[] = { "a", "b" };

static const gchar *const changes[] = {
#define CHANGE(identifier, name, ...) name,
  REPORT_CHANGES (CHANGE)
#undef CHANGE
};

static const Shape frame_place_shape = {
  .name = "frame-place",
  LOOKS (IS ("frame", COUNT,.flags = ALWAYS,.text = "Its number, from 0."), IS ("time", TIME))
};

static const Shape two_counts_shape = {
  LOOKS (IS ("a", COUNT,.flags = ALWAYS), IS ("b", COUNT,.flags = ALWAYS))
};

static const Shape rectangle_shape = {
  LOOKS (IS ("x", COUNT,.flags = ALWAYS), IS ("y", COUNT,.flags = ALWAYS), IS ("width", COUNT,.flags = ALWAYS),
      IS ("height", COUNT,.flags = ALWAYS))
};

static const Shape frame_difference_shape = {
  .name = "frame-difference",
  .text = "A pair of frames that differs, and the rectangle of all differences, in pixels.",
  LOOKS (IS ("a", OBJECT,.flags = ALWAYS,.shape = &frame_place_shape), IS ("b", OBJECT,.flags = ALWAYS,.shape = &frame_place_shape),
      IS ("psnr", NUMBER), IS ("ssim", NUMBER), IS ("x", COUNT,.flags = ALWAYS), IS ("y", COUNT,.flags = ALWAYS),
      IS ("width", COUNT,.flags = ALWAYS), IS ("height", COUNT,.flags = ALWAYS))
};

static const Shape compared_component_shape = {
  .name = "compared-component",
  .text = "Of all pairs: samples, those that differ, the sum of squared differences, PSNR in dB (of the mean squared error), SSIM and "
      "XPSNR (means of the pairs), and the least PSNR and SSIM of a pair.",
  LOOKS (IS ("count", COUNT,.flags = ALWAYS), IS ("different", COUNT,.flags = ALWAYS),
      IS ("max-difference", COUNT,.flags = ALWAYS), IS ("sse", COUNT,.flags = ALWAYS), IS ("psnr", NUMBER),
      IS ("least-psnr", NUMBER), IS ("ssim", NUMBER), IS ("least-ssim", NUMBER), IS ("xpsnr", NUMBER))
};

#define COMPONENT(name) IS (name, OBJECT, .shape = &compared_component_shape)
static const Shape compared_components_shape = {
  LOOKS (COMPONENT ("Y"), COMPONENT ("U"), COMPONENT ("V"), COMPONENT ("R"), COMPONENT ("G"), COMPONENT ("B"), COMPONENT ("A"),
      COMPONENT ("Gr"), COMPONENT ("Gb"))
};

static const Shape unpaired_shape = {
  .name = "unpaired-frames",
  .text = "Frames that follow each other and have no counterpart. repeated of them repeat the frame before or behind.",
  LOOKS (IS ("in", NAME,.flags = ALWAYS, NAMED (sides)), IS ("frames", COUNT,.flags = ALWAYS),
      IS ("repeated", COUNT,.flags = ALWAYS), IS ("first", COUNT,.flags = ALWAYS), IS ("last", COUNT,.flags = ALWAYS),
      IS ("start", TIME), IS ("end", TIME))
};

static const Shape time_shift_shape = {
  .name = "time-shift",
  .text = "From a frame of A on, those of B come so much later, counted from the starts of the streams.",
  LOOKS (IS ("from", OBJECT,.flags = ALWAYS,.shape = &frame_place_shape), IS ("shift", DEFINED,.flags = ALWAYS,.definition = "shift"))
};

static const Shape explanation_shape = {
  .name = "explanation",
  .text = "A change that makes the difference vanish, or nearly so: PSNR in dB without it and with it, in the frames that were "
      "looked at.",
  LOOKS (IS ("change", NAME,.flags = ALWAYS, NAMED (changes)), IS ("text", TEXT,.flags = ALWAYS), IS ("dx", DEFINED,.definition = "moved"), IS ("dy", DEFINED,.definition = "moved"),
      IS ("psnr-before", NUMBER), IS ("psnr-after", NUMBER), IS ("frames", COUNT,.flags = ALWAYS),
      IS ("tried", COUNT,.flags = ALWAYS), IS ("fit", COUNT,.flags = ALWAYS))
};

static const gchar *const moments[] = {
#define MOMENT(identifier, name, ...) name,
  REPORT_MOMENTS (MOMENT)
#undef MOMENT
};

static const Shape moment_shape = {
  .name = "moment",
  .text = "Pairs that differ, follow each other, and are not as the others: a film is black, has one level of luma or stands still, or "
      "the explanation does not fit. first, last, start and end are of A; end is when the last frame begins.",
  LOOKS (IS ("is", NAME,.flags = ALWAYS, NAMED (moments)), IS ("in", NAME, NAMED (sides)), IS ("frames", COUNT,.flags = ALWAYS),
      IS ("first", COUNT,.flags = ALWAYS), IS ("last", COUNT,.flags = ALWAYS), IS ("start", TIME), IS ("end", TIME),
      IS ("least-psnr", NUMBER))
};

static const Shape pictures_shape = {
  .name = "compared-pictures",
  .text = "Pairs of frames are found by their content. first, worst, rectangle, moments and explanation are absent if all pairs are equal.",
  LOOKS (IS ("frames", OBJECT,.flags = ALWAYS,.shape = &two_counts_shape), IS ("pairs", COUNT,.flags = ALWAYS),
      IS ("equal", COUNT,.flags = ALWAYS), IS ("cut", TEXT,.text = "From where on, and why, pictures are not compared."),
      IS ("format", TEXT), IS ("psnr", NUMBER), IS ("ssim", NUMBER),
      IS ("unpaired", LIST,.flags = ALWAYS,.shape = &unpaired_shape), IS ("shifts", LIST,.flags = ALWAYS,.shape = &time_shift_shape),
      IS ("components", OBJECT,.flags = ALWAYS,.shape = &compared_components_shape),
      IS ("first", OBJECT,.shape = &frame_difference_shape), IS ("worst", LIST,.n = 1,.shape = &frame_difference_shape),
      IS ("rectangle", OBJECT,.shape = &rectangle_shape,.text = "That has the differences of all pairs, in pixels."),
      IS ("moments", LIST,.shape = &moment_shape), IS ("explanation", OBJECT,.shape = &explanation_shape))
};

static const gchar *const sound_changes[] = {
#define CHANGE(identifier, name) name,
  REPORT_SOUND_CHANGES (CHANGE)
#undef CHANGE
};

static const Shape sound_explanation_shape = {
  .name = "sound-explanation",
  .text = "A change that makes the difference vanish, or most of it: the difference in dB of the power of A without it and with it. "
      "value is a gain in dB, a ceiling in dBFS, a time in ms, or a share of full scale. Without start it is of the whole sound.",
  LOOKS (IS ("change", NAME,.flags = ALWAYS, NAMED (sound_changes)), IS ("text", TEXT,.flags = ALWAYS),
      IS ("guess", BOOLEAN,.flags = ALWAYS), IS ("value", NUMBER), IS ("before", NUMBER), IS ("after", NUMBER),
      IS ("start", TIME), IS ("end", TIME))
};

static const Shape compared_sound_shape = {
  .name = "compared-sound",
  .text = "Samples are compared after the delay of B. relative and absolute are the difference of those that have a partner, in dB of "
      "the power of A and of full scale; worst is the second with the largest one.",
  LOOKS (IS ("equal", BOOLEAN,.flags = ALWAYS,.text = "All channels and samples have a partner, and are equal."),
      IS ("rate", COUNT,.flags = ALWAYS), IS ("channels", COUNT,.flags = ALWAYS,.text = "That are compared."),
      IS ("samples", OBJECT,.flags = ALWAYS,.shape = &two_counts_shape,.text = "Of each channel."),
      IS ("compared", COUNT,.flags = ALWAYS,.text = "Samples of each channel that have a partner."),
      IS ("unpaired", OBJECT,.flags = ALWAYS,.shape = &two_counts_shape,.text = "Those that have none."),
      IS ("not-finite", OBJECT,.flags = ALWAYS,.shape = &two_counts_shape,.text = "Of all channels: they count as 0 in powers."),
      IS ("different", COUNT,.flags = ALWAYS,.text = "Samples of all channels."), IS ("first", TIME), IS ("largest", NUMBER),
      IS ("relative", NUMBER), IS ("absolute", NUMBER), IS ("worst", TIME), IS ("worst-relative", NUMBER),
      IS ("worst-absolute", NUMBER), IS ("delay", INT,.flags = ALWAYS,.text = "Samples by which B is later at first."),
      IS ("delay-open", BOOLEAN,.flags = ALWAYS,.text = "The sound repeats itself: other delays fit as well."),
      IS ("explanations", LIST,.flags = ALWAYS,.shape = &sound_explanation_shape))
};

#define NOTES IS ("notes", TEXTS, .n = 1, .text = "What is not compared, or not as it is.")

static const Shape compared_streams_shape = {
  .name = "compared-streams",
  .text = "Two streams. If one of them is absent, the other one has no counterpart, and only the verdict and its reasons are there. matched, "
      "shift and only-in are absent if only the summaries were compared.",
  LOOKS (IS ("a", OBJECT,.shape = &compared_stream_shape), IS ("b", OBJECT,.shape = &compared_stream_shape),
      IS ("verdict", NAME,.flags = ALWAYS, NAMED (verdicts)),
      IS ("reasons", TEXTS,.n = 1,.text = "Why the verdict is not SAME, the weightiest first."),
      IS ("shown-otherwise", TEXT,.text = "Facts that make a player show the same samples otherwise."), NOTES,
      IS ("pictures", OBJECT,.shape = &pictures_shape,.text = "Absent if the pictures were not compared."),
      IS ("sound", OBJECT,.shape = &compared_sound_shape,.text = "Absent if the sound was not compared."),
      IS ("facts", LIST,.n = 1,.shape = &fact_shape,.text = "What the streams are, where the two are not the same."),
      IS ("matched", COUNT,.text = "The number of results with a counterpart."),
      IS ("shift", DEFINED,.definition = "shift"), IS ("only-in", OBJECT,.shape = &only_in_shape),
      IS ("compared-figures", COUNT,.text = "How many figures were compared."),
      IS ("figures", LIST,.shape = &compared_figure_shape,.text = "Those that differ, the worst first."))
};

static Member tolerances[REPORT_N_TOLERANCES + 1];
static const Shape tolerances_shape = {.members = tolerances };

static const Shape comparison_shape = {
  .name = "comparison",
  .text = "What --compare finds. Times are in ns.",
  LOOKS (IS ("a", OBJECT,.flags = ALWAYS,.shape = &compared_input_shape),
      IS ("b", OBJECT,.flags = ALWAYS,.shape = &compared_input_shape),
      IS ("different", BOOLEAN,.flags = ALWAYS,.text = "The verdict is DIFFERENT."),
      IS ("verdict", NAME,.flags = ALWAYS, NAMED (verdicts)),
      IS ("pictures-not-compared", TEXT,.text = "Why no pictures are compared."),
      IS ("sound-not-compared", TEXT,.text = "Why no sound is compared."), NOTES,
      IS ("tolerances", OBJECT,.flags = ALWAYS,.shape = &tolerances_shape),
      IS ("streams", LIST,.flags = ALWAYS,.shape = &compared_streams_shape,.text = "The pairs in the order of A, then what only B has."))
};

/* The lines: the type that they say, and whether they say the version. */
static const struct
{
  const Shape *shape;
  const gchar *type;
  gboolean has_version;
} lines[] = {
  {&frame_shape, "frame", FALSE},
  {&window_shape, "window", FALSE},
  {&report_summary_shape, "summary", TRUE},
  {&image_shape, "image", FALSE},
  {&image_set_shape, "summary", TRUE},
  {&comparison_shape, "comparison", TRUE},
};

/* ---- From members to the schema ----------------------------------------------------------------- */

typedef struct
{
  ReportJson *json;
  GPtrArray *shapes;            /* (element-type ReportShape): those that are to be defined, each once */
  GHashTable *used;             /* the names of the definitions that something refers to */
  GPtrArray *required;          /* the names of what the object must have that is described */
  gboolean has_native;          /* it has native components by their names */
} Schema;

static void describe_object (Schema * schema, const Shape * shape);

static void
begin (Schema * schema, const gchar * name, const gchar * text)
{
  report_json_begin_object (schema->json, name);
  report_json_add_text (schema->json, "description", text);
}

static void
end (Schema * schema)
{
  report_json_end_object (schema->json);
}

static void
refer (Schema * schema, const gchar * name)
{
  g_autofree gchar *path = g_strconcat ("#/definitions/", name, NULL);

  g_hash_table_add (schema->used, (gpointer) name);
  report_json_add_text (schema->json, "$ref", path);
}

/* A member that is what the schema has defined. */
static void
add_reference (Schema * schema, const gchar * name, const gchar * text, const gchar * definition)
{
  begin (schema, name, text);
  refer (schema, definition);
  end (schema);
}

/* In an object: what a shape is, or where it is defined. */
static void
describe_shape (Schema * schema, const Shape * shape)
{
  if (shape->name == NULL) {
    report_json_add_text (schema->json, "description", shape->text);
    describe_object (schema, shape);
    return;
  }
  if (!g_ptr_array_find (schema->shapes, shape, NULL))
    g_ptr_array_add (schema->shapes, (gpointer) shape);
  refer (schema, shape->name);
}

static void
add_shape (Schema * schema, const gchar * name, const gchar * text, const Shape * shape)
{
  begin (schema, name, text);
  describe_shape (schema, shape);
  end (schema);
}

static void
add_names (Schema * schema, const gchar * key, const gchar * const *names, guint n)
{
  report_json_begin_array (schema->json, key);
  for (guint i = 0; i < n; i++)
    report_json_put_text (schema->json, names[i]);
  report_json_end_array (schema->json);
}

/* The next object is that of the elements. @most: 0: any number */
static void
begin_array (Schema * schema, guint least, guint most)
{
  report_json_add_text (schema->json, "type", "array");
  if (least > 0)
    report_json_add_int (schema->json, "minItems", least);
  if (most > 0)
    report_json_add_int (schema->json, "maxItems", most);
  report_json_begin_object (schema->json, "items");
}

/* Ends the object of the properties: there are no others. */
static void
end_strict (Schema * schema)
{
  end (schema);
  report_json_set_key (schema->json, "additionalProperties");
  report_json_put_boolean (schema->json, FALSE);
}

/* Returns: (transfer full): the definition of a figure and its unit */
static gchar *
text_of (const gchar * definition, const gchar * unit)
{
  return g_str_equal (unit, "1") ? g_strdup (definition) : g_strconcat (definition, " [", unit, "]", NULL);
}

static void
add_figure (Schema * schema, const HistoFigureInfo * info)
{
  g_autofree gchar *text = text_of (info->definition, info->unit);

  add_reference (schema, info->name, text,
      info == &histo_pair_figures[HISTO_PAIR_FIGURE_correlation] ? "correlation" :
      info->type == HISTO_FIGURE_DOUBLE ? "number" : g_str_equal (info->unit, "0 or 1") ? "zero-or-one" : "count");
}

static void
add_choice (Schema * schema, guint choice)
{
  const gchar *const *names = histo_choice_names (&histo_group_figures[choice]);

  add_names (schema, "enum", names, g_strv_length ((gchar **) names));
}

static void
add_group_figure (Schema * schema, guint i)
{
  const HistoGroupFigureInfo *info = &histo_group_figures[i];
  g_autofree gchar *text = text_of (info->definition, info->unit);

  if (info->type == HISTO_FIGURE_CHOICE) {
    begin (schema, info->name, info->definition);
    add_choice (schema, i);
    end (schema);
  } else {
    add_reference (schema, info->name, text, info->type == HISTO_FIGURE_UINT ? "count" : "number");
  }
}

static void
add_joints (Schema * schema, HistoGroup group)
{
  for (guint j = 0; j < HISTO_N_JOINTS; j++) {
    if (histo_joints[j].group == group)
      add_shape (schema, histo_joints[j].name, histo_joints[j].definition, &joint_shape);
  }
}

/* The rows of a group of video. */
static void
add_group (Schema * schema, HistoGroup group)
{
  for (guint s = 0; s < HISTO_N_SOURCES; s++) {
    const HistoComponentInfo *info = &histo_components[s];
    g_autofree gchar *text = text_of (info->definition, info->unit);

    if (info->group != group)
      continue;
    for (guint i = 0; i < (info->name == NULL ? G_N_ELEMENTS (native_names) : 1); i++)
      add_shape (schema, info->name == NULL ? native_names[i] : info->name, text, &component_shape);
  }
  add_joints (schema, group);
  for (guint i = 0; i < HISTO_N_GROUP_FIGURES; i++) {
    if (histo_group_figures[i].group == group)
      add_group_figure (schema, i);
  }
}

/* @without: flags of groups */
static void
add_groups (Schema * schema, guint without)
{
  for (guint group = HISTO_GROUP_BASIC + 1; group < HISTO_N_GROUPS; group++) {
    if (!histo_groups[group].is_audio && (without & HISTO_GROUP_FLAG (group)) == 0)
      add_shape (schema, histo_groups[group].name, NULL, &group_shapes[group]);
  }
}

/* In an object: how many results have each name. */
static void
describe_choices (Schema * schema, guint choice)
{
  const gchar *const *names = histo_choice_names (&histo_group_figures[choice]);

  report_json_add_text (schema->json, "description", "How many results have each name.");
  report_json_add_text (schema->json, "type", "object");
  report_json_begin_object (schema->json, "properties");
  for (; *names != NULL; names++)
    add_reference (schema, *names, NULL, "count");
  end_strict (schema);
}

/* The figures of a group over all results. */
static void
add_ranges (Schema * schema, HistoGroup group)
{
  for (guint i = 0; i < HISTO_N_GROUP_FIGURES; i++) {
    const HistoGroupFigureInfo *info = &histo_group_figures[i];

    if (info->group != group)
      continue;
    begin (schema, info->name, NULL);
    if (info->type == HISTO_FIGURE_CHOICE)
      describe_choices (schema, i);
    else
      describe_shape (schema, &range_shape);
    end (schema);
  }
}

/* Of each group that has figures, an object of them. */
static void
add_group_ranges (Schema * schema)
{
  guint with_figures = 0;

  for (guint i = 0; i < HISTO_N_GROUP_FIGURES; i++)
    with_figures |= HISTO_GROUP_FLAG (histo_group_figures[i].group);
  for (guint group = 0; group < HISTO_N_GROUPS; group++) {
    if ((with_figures & HISTO_GROUP_FLAG (group)) == 0)
      continue;
    begin (schema, histo_groups[group].name, NULL);
    report_json_add_text (schema->json, "type", "object");
    report_json_begin_object (schema->json, "properties");
    add_ranges (schema, group);
    end_strict (schema);
    end (schema);
  }
}

/* In the object of a member: its values. */
static void
describe_value (Schema * schema, const Member * member)
{
  switch (member->type) {
    case INT:
    case COUNT:
    case SIZE:
      refer (schema, (member->flags & NOT_ZERO) != 0 ? "positive" : "count");
      break;
    case TIME:
    case END:
      refer (schema, "time");
      break;
    case NUMBER:
      refer (schema, g_str_equal (member->name, histo_pair_figures[HISTO_PAIR_FIGURE_correlation].name) ?
          "correlation" : "number");
      break;
    case BOOLEAN:
      report_json_add_text (schema->json, "type", "boolean");
      break;
    case TEXT:
    case LABEL:
    case MEDIUM:
    case NAME:
      if (member->n > 0)
        add_names (schema, "enum", member->names, member->n);
      else
        report_json_add_text (schema->json, "type", "string");
      break;
    case CHOICE:
      add_choice (schema, member->choice);
      break;
    case CHOICES:
      describe_choices (schema, member->choice);
      break;
    case TEXTS:
      begin_array (schema, member->n, 0);
      report_json_add_text (schema->json, "type", "string");
      end (schema);
      break;
    case FLAGS:
      if (member->names == NULL) {
        refer (schema, "histogram");
        break;
      }
      begin_array (schema, 0, 0);
      add_names (schema, "enum", member->names, member->n);
      end (schema);
      break;
    case COUNTS:
      begin_array (schema, member->n, member->n);
      refer (schema, "count");
      end (schema);
      break;
    case INTEGERS:
    case BINS:
    case BLOCKS:
      refer (schema, "histogram");
      break;
    case RANGE:
      describe_shape (schema, &range_shape);
      break;
    case OBJECT:
      describe_shape (schema, member->shape);
      break;
    case OBJECTS:
    case LIST:
      begin_array (schema, member->n, member->type == LIST ? member->shape->most : 0);
      describe_shape (schema, member->shape);
      end (schema);
      break;
    case RATIO:
      report_json_add_text (schema->json, "type", "string");
      report_json_add_text (schema->json, "pattern", "^[1-9][0-9]*:[1-9][0-9]*$");
      break;
    case DEFINED:
      refer (schema, member->definition);
      break;
    default:
      g_assert_not_reached ();
  }
}

/* Numbers that are never NaN, and so always there. */
static gboolean
is_always_there (const HistoFigureInfo * info)
{
  return info->type != HISTO_FIGURE_DOUBLE || info == &histo_figures[HISTO_FIGURE_NUMBER_sum]
      || info == &histo_figures[HISTO_FIGURE_NUMBER_range_min] || info == &histo_figures[HISTO_FIGURE_NUMBER_range_max];
}

/* @is_optional: all of them may be absent */
static void
add_members (Schema * schema, const Member * members, gboolean is_optional)
{
  for (const Member * member = members; member->name != NULL; member++) {
    const gboolean is_of_some = is_optional || (member->flags & (OF_VIDEO | OF_AUDIO | OF_PLACE)) != 0;

    switch (member->type) {
      case INLINE:
        add_members (schema, member->shape->members, is_of_some);
        break;
      case SPECIAL:
        add_members (schema, member->special->looks, is_of_some);
        break;
      case FIGURES:
      case NUMBERS:
        for (guint i = 0; i < member->n; i++) {
          const HistoFigureInfo *info = &member->infos[i];

          if (member->type == NUMBERS && info->type != HISTO_FIGURE_DOUBLE)
            continue;
          add_figure (schema, info);
          if (!is_of_some && is_always_there (info))
            g_ptr_array_add (schema->required, (gpointer) info->name);
        }
        break;
      case RANGES:
        for (guint i = 0; i < member->n; i++)
          add_shape (schema, member->infos[i].name, NULL, &range_shape);
        break;
      case ARRAYS:
        for (guint i = 0; i < member->n; i++) {
          g_autofree gchar *text = text_of (member->infos[i].definition, member->infos[i].unit);

          add_reference (schema, member->infos[i].name, text, "channel-figure");
        }
        break;
      case GROUP:
        add_group (schema, member->n);
        break;
      case GROUPS:
        add_groups (schema, member->n);
        break;
      case GROUP_RANGES:
        add_group_ranges (schema);
        break;
      case JOINTS:
        add_joints (schema, member->n);
        break;
      case NATIVE_COMPONENTS:
        schema->has_native = TRUE;
        break;
      default:
        begin (schema, member->name, member->text);
        describe_value (schema, member);
        end (schema);
        if (!is_of_some && (member->flags & (NEEDED | ALWAYS)) != 0)
          g_ptr_array_add (schema->required, (gpointer) member->name);
    }
  }
}

/* The components that a result has by the names of the format. */
static void
add_native_components (Schema * schema)
{
  const gchar *names[G_N_ELEMENTS (native_names) + 1] = { NULL };
  g_autofree gchar *joined = NULL, *pattern = NULL;

  memcpy (names, native_names, sizeof native_names);
  joined = g_strjoinv ("|", (gchar **) names);
  pattern = g_strdup_printf ("^(%s|%s)$", joined, CHANNEL_NAMES);
  begin (schema, "patternProperties", NULL);
  add_shape (schema, pattern, NULL, &component_shape);
  end (schema);
}

/* In an object: that it is one with these members, and no others. */
static void
describe_object (Schema * schema, const Shape * shape)
{
  g_autoptr (GPtrArray) required = g_ptr_array_new ();
  Schema inner = *schema;

  inner.required = required;
  inner.has_native = FALSE;
  report_json_add_text (schema->json, "type", "object");
  report_json_begin_object (schema->json, "properties");
  for (guint i = 0; i < G_N_ELEMENTS (lines); i++) {
    if (lines[i].shape != shape)
      continue;
    begin (schema, "type", NULL);
    report_json_add_text (schema->json, "const", lines[i].type);
    end (schema);
    g_ptr_array_add (required, "type");
    if (!lines[i].has_version)
      continue;
    begin (schema, "version", NULL);
    report_json_add_int (schema->json, "const", REPORT_JSON_VERSION);
    end (schema);
    g_ptr_array_add (required, "version");
  }
  add_members (&inner, shape->members, FALSE);
  end_strict (schema);
  if (inner.has_native)
    add_native_components (schema);
  if (required->len > 0)
    add_names (schema, "required", (const gchar * const *) required->pdata, required->len);
}

/* The definitions of the lines, and of the shapes that they refer to. */
static void
add_shapes (Schema * schema)
{
  for (guint i = 0; i < schema->shapes->len; i++) {
    const Shape *shape = schema->shapes->pdata[i];

    begin (schema, shape->name, shape->text);
    describe_object (schema, shape);
    end (schema);
  }
}

/* The definitions of values. */
static void
add_definitions (const Schema * schema, JsonObject * to)
{
  for (guint i = 0; i < G_N_ELEMENTS (definitions); i++) {
    g_autoptr (JsonNode) node = json_from_string (definitions[i].schema, NULL);

    /* One that is not used, or no JSON, is a mistake in the table. */
    if (node == NULL || !g_hash_table_contains (schema->used, definitions[i].name))
      g_error ("the definition of %s", definitions[i].name);
    json_object_set_member (to, definitions[i].name, g_steal_pointer (&node));
  }
}

/* ---- The text ----------------------------------------------------------------------------------- */

#define WIDTH 120

/* Appends the members of an object of objects each on a line of its own, and anything else that is short as one line.
 * @indent: of its line; @used: columns of the line */
static void
append (GString * text, JsonNode * node, guint indent, gsize used)
{
  g_autofree gchar *line = json_to_string (node, FALSE);
  g_autoptr (GList) names = NULL;
  gboolean is_flat = TRUE;

  if (JSON_NODE_HOLDS_OBJECT (node))
    names = json_object_get_members (json_node_get_object (node));
  for (GList * name = names; name != NULL; name = name->next)
    is_flat &= JSON_NODE_HOLDS_VALUE (json_object_get_member (json_node_get_object (node), name->data));
  if (is_flat || used + strlen (line) <= WIDTH) {
    g_string_append (text, line);
    return;
  }
  g_string_append_c (text, '{');
  for (GList * name = names; name != NULL; name = name->next) {
    const gsize begin_of_line = text->len + 1;

    g_string_append_printf (text, "\n%*s\"%s\": ", (gint) indent + 1, "", (const gchar *) name->data);
    append (text, json_object_get_member (json_node_get_object (node), name->data), indent + 1,
        text->len - begin_of_line);
    if (name->next != NULL)
      g_string_append_c (text, ',');
  }
  g_string_append_printf (text, "\n%*s}", (gint) indent, "");
}

/* Each group, each tolerance and each kind of outlier that a table has. */
static void
fill_tables (void)
{
  for (guint group = HISTO_GROUP_BASIC + 1; group < HISTO_N_GROUPS; group++) {
    groups[group][0] = (Member) IS ("", GROUP,.n = group);
    group_shapes[group] = (Shape) {.name = histo_groups[group].name,.text = histo_groups[group].description,
      .members = group_members[group] != NULL ? group_members[group] : groups[group]
    };
  }
  for (guint i = 0; i < REPORT_N_TOLERANCES; i++)
    tolerances[i] = (Member) IS (report_tolerance_names[i], DEFINED,.flags = ALWAYS,.definition = "tolerance");
  for (guint i = 0; i < REPORT_N_OUTLIERS; i++)
    outliers[i] = (Member) IS (report_outlier_names[i], LIST,.flags = ALWAYS,.shape = &outlier_shape);
}

int
main (void)
{
  g_autoptr (ReportJson) json = report_json_new (FALSE);
  g_autoptr (GPtrArray) shapes = g_ptr_array_new ();
  g_autoptr (GHashTable) used = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (JsonNode) root = NULL;
  Schema schema = {.json = json,.shapes = shapes,.used = used };

  fill_tables ();
  report_json_begin_object (json, NULL);
  report_json_add_text (json, "$schema", "http://json-schema.org/draft-07/schema#");
  report_json_add_text (json, "title",
      "A line that cudahisto-report writes with --json, --json-histograms or --json-summary");
  report_json_add_text (json, "description", "docs/report.md explains the objects, docs/result.md the figures.");
  report_json_begin_array (json, "oneOf");
  for (guint i = 0; i < G_N_ELEMENTS (lines); i++) {
    report_json_begin_object (json, NULL);
    describe_shape (&schema, lines[i].shape);
    report_json_end_object (json);
  }
  report_json_end_array (json);
  report_json_begin_object (json, "definitions");
  add_shapes (&schema);
  report_json_end_object (json);
  report_json_end_object (json);
  root = json_from_string (report_json_get_text (json)->str, NULL);
  add_definitions (&schema, json_object_get_object_member (json_node_get_object (root), "definitions"));
  append (text, root, 0, 0);
  puts (text->str);
  return 0;
}
