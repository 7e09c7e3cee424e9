/* The tables of what the lists of a summary have; see summary.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "base/members.h"
#include "summary/json.h"

static const gchar *const problem_types[] = {
  REPORT_PROBLEM_UNREADABLE,    /* no stream could be measured */
  REPORT_PROBLEM_UNDECODABLE,   /* GStreamer cannot decode a stream */
  REPORT_PROBLEM_ERROR,         /* an element reported an error or a warning */
  REPORT_PROBLEM_MISSING,       /* frames or samples are missing */
  REPORT_PROBLEM_DAMAGED,       /* a decoder marked frames or samples as damaged */
  REPORT_PROBLEM_CUT_OFF,       /* the input is shorter than it says */
  REPORT_PROBLEM_INTERRUPTED,   /* by a signal */
  REPORT_PROBLEM_OTHER
};

const ReportShape report_problem_shape = {
  .name = "problem",
  .text = "Something that is wrong with the input. Times count from the stream's first timestamp.",
  .size = sizeof (ReportProblem),
  .members = (const ReportMember[]) {
      {"type", LABEL, AT (ReportProblem, type), ALWAYS, NAMED (problem_types)},
      {"stream", INT, AT (ReportProblem, stream)},
      {"start", TIME, AT (ReportProblem, start)},
      {"end", TIME, AT (ReportProblem, end)},
      {"count", COUNT, AT (ReportProblem, count), NOT_ZERO},
      {"text", TEXT, AT (ReportProblem, text), NEEDED},
      NO_MEMBER}
};

const ReportShape report_alert_shape = {
  .name = "alert",
  .size = sizeof (ReportAlert),
  .members = (const ReportMember[]) {
      {"type", NAME, AT (ReportAlert, alert), NEEDED, NAMED (histo_alert_names)},
      {"rule", TEXT, AT (ReportAlert, rule), .text = "Of the type rule: the id of the rule that is broken."},
      {"place", TEXT, AT (ReportAlert, place)},
      {"start", TIME, AT (ReportAlert, start)},
      {"end", TIME, AT (ReportAlert, end)},
      {"value", NUMBER, AT (ReportAlert, value)},
      {"value-time", TIME, AT (ReportAlert, value_time)},
      {"threshold", NUMBER, AT (ReportAlert, threshold)},
      {"input", TEXT, AT (ReportAlert, input)},
      NO_MEMBER}
};

const ReportShape report_flashes_shape = {
  .size = sizeof (ReportFlashes),
  .members = (const ReportMember[]) {
      {"start", TIME, AT (ReportFlashes, start)},
      {"end", END, AT (ReportFlashes, end)},
      {"state", CHOICE, AT (ReportFlashes, state), NEEDED, .choice = HISTO_GROUP_FIGURE_FLASH_state},
      {"zones-state", CHOICE, AT (ReportFlashes, zones_state), NEEDED, .choice = HISTO_GROUP_FIGURE_FLASH_state},
      {"zones", FLAGS, AT (ReportFlashes, zones), NOT_ZERO, .n = HISTO_N_ZONES,
          .text = "Numbers of the zones that have zones-state."},
      {"transitions", COUNT, AT (ReportFlashes, transitions), NEEDED},
      {"red-transitions", COUNT, AT (ReportFlashes, red_transitions), NEEDED},
      {"input", TEXT, AT (ReportFlashes, input)},
      NO_MEMBER}
};

const gchar *const report_time_fault_names[REPORT_N_TIME_FAULTS] = {
  [REPORT_GAP] = "gap",
  [REPORT_OVERLAP] = "overlap",
  [REPORT_JUMP_BACK] = "jump-back",
};

const ReportShape report_time_place_shape = {
  .size = sizeof (ReportTimePlace),
  .members = (const ReportMember[]) {
      {"type", NAME, AT (ReportTimePlace, fault), NEEDED, NAMED (report_time_fault_names)},
      {"start", TIME, AT (ReportTimePlace, start), NEEDED},
      {"end", TIME, AT (ReportTimePlace, end)},
      {"count", COUNT, AT (ReportTimePlace, count), NOT_ZERO},
      {"fault", BOOLEAN, AT (ReportTimePlace, is_fault), NOT_ZERO,
          .text = "Neither a variable rate nor a picture that is held explains it."},
      {"input", TEXT, AT (ReportTimePlace, input)},
      NO_MEMBER}
};

const ReportShape report_track_shape = {
  .name = "track",
  .text = "A track of a programme. Where it holds nothing and others do, the channel has silence.",
  .size = sizeof (ReportTrack),
  .members = (const ReportMember[]) {
      {"track", COUNT, AT (ReportTrack, number), NEEDED, .text = "Tracks of sound count from 1."},
      {"samples", COUNT, AT (ReportTrack, n_samples), NOT_ZERO, .text = "That it holds."},
      {"silence-before", COUNT, AT (ReportTrack, n_before), NOT_ZERO, .text = "Samples."},
      {"silence-between", COUNT, AT (ReportTrack, n_between), NOT_ZERO, .text = "Samples."},
      {"silence-behind", COUNT, AT (ReportTrack, n_behind), NOT_ZERO, .text = "Samples."},
      NO_MEMBER},
  .most = HISTO_MAX_CHANNELS
};

const ReportShape report_channel_shape = {
  .name = "merged-channel",
  .size = sizeof (ReportChannel),
  .members = (const ReportMember[]) {
      {"", RANGES, AT (ReportChannel, levels), 0, SUM, .infos = histo_level_figures, .n = HISTO_N_LEVEL_FIGURES},
      {"", NUMBERS, AT (ReportChannel, arrays), 0, GREATEST,
          .infos = histo_loudness_arrays, .n = HISTO_N_LOUDNESS_ARRAYS},
      NO_MEMBER},
  .most = HISTO_MAX_CHANNELS
};
