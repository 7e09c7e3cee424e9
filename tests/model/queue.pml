/* The queue between upstream's thread and the source pad's task, as a model for spin: plugin/element
 * queue.c, intake.c, output.c and flow.c. tests/model/check.py checks it.
 *
 * Processes: upstream's thread, the source pad's task, an application that flushes, stops, starts and
 * links at any time, and a timer for upstream's wait, which has a time limit. The model checks every order
 * of their steps. What a step of the C code does under the queue's lock is atomic here; a wait for a
 * condition is a statement that blocks, and another thread's broadcast makes it executable.
 *
 * Upstream sends ITEMS items; spin tries each kind for each item. Pacing is not modelled: whenever the
 * queue allows upstream's thread to push a buffer, spin tries both choices. Downstream may block, and may
 * return an error once. A handler of a message may flush, in upstream's thread and in the task.
 *
 * Assumptions:
 * - One flush and one change of state at a time. They run beside each other with -DSTOPS_BESIDE_FLUSHES, as in a program
 *   that seeks in one thread and stops in another; in the other variants one thread does both.
 * - The source pad is not stopped and started between start_flush ()'s look at the sink pad and its push.
 * - A handler does not stop the element, because the task would then wait for its own end
 *   (message-handlers.c).
 * - There is no publishing thread: results are attached.
 * - A sink that keeps its first buffer until the pipeline plays is not in the model
 *   (pushing-thread.c: test_first_buffer_is_kept).
 *
 * Invariants, with the tests that show them on the element. check.py looks these tests up.
 *   ORDER       Items arrive in the order in which they were sent. Caps alone may overtake a segment,
 *               if they replace older caps behind an error.                events.c: test_event_order
 *   ONE_PUSHER  Two threads never push at once.                   pushing-thread.c: test_upstream_pushes
 *   FRESH       After a flush nothing arrives from before it.  message-handlers.c: test_flush_drops_buffer
 *   CAPS_KEPT   A flush loses no caps.                                   flushes.c: test_flush_keeps_caps
 *   NO_LOSS     Each accepted item reaches downstream, or is queued or replaced after an error.
 *                                                                     events.c: test_eos_after_frames
 *   NOT_STUCK   Each thread ends or waits for new input. No deadlock.
 *                                                             flushes.c: test_flush_while_upstream_waits
 *   RELINKED    Buffers go on when the source pad is linked again.     flow-returns.c: test_relink
 *   LIMIT       At most max-in-flight buffers are in flight, and none while the engine is being configured.
 *                                                                        message-only.c: test_max_in_flight
 *   LEFT        No buffer is in flight after a stop, or after all items were passed on.
 *                                                                        states.c: test_stop_with_frames
 *   ANSWERED    After the sender's call returns, no thread of the element uses the query.
 *                                                                       queries.c: test_query_and_flush
 *   TOLD        An error reaches upstream or the application.         flow-returns.c: test_error_after_eos
 *   FLOWS       What the sink pad takes is not refused for a flush that is over.
 *                                                                        flushes.c: test_flush_beside_start
 *   AT_REST     A flush and a stop drop and reset nothing while the task passes an item on, and not both at once.
 *                                                                        flushes.c: test_flush_beside_stop
 *
 * -DHANDLERS: handlers of messages flush. -DSTOPS_BESIDE_FLUSHES: a second thread of the application flushes, and
 * there are no queries, errors and links. -DRELINKS: only links change, and there are no queries, so that more items can
 * be tried.
 * -DFAULT_... puts one fault into the model. check.py expects a violation then.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef ITEMS
#define ITEMS 4
#endif
#ifndef MAX_IN_FLIGHT
#define MAX_IN_FLIGHT 2
#endif
/* How often the application, or a handler, acts. */
#ifndef ACTIONS
#define ACTIONS 1
#endif
#define BATCH_LEVEL (MAX_IN_FLIGHT - 1 - (MAX_IN_FLIGHT - 1) / 3)

mtype = { SEGMENT, CAPS, BUFFER, QUERY, EOS };
mtype = { OK, FLUSHING, NOT_LINKED, ERROR, DONE };      /* flow returns; DONE: GST_FLOW_EOS */
mtype = { STARTED, PAUSED, STOPPED };                   /* the task */

#define BIT(i) (1 << (i))
#define NONE 255

/* ---- HistoQueue ----------------------------------------------------------------------- */

chan items = [ITEMS + 1] of { mtype, byte, byte };      /* kind, number, generation */
byte n_eos, n_begins, n_in_flight, generation, item_generation;
byte awaited_level = NONE;
mtype flow = FLUSHING;
bool is_active, task_is_busy, was_relinked, upstream_has_ended, downstream_is_eos;
bool downstream_has_taken, awaits_idle;
bool query_is_queued, query_is_answered;

bool task_waits;                /* for `arrived` */
bool upstream_waits;            /* for `progressed` */
bool wait_has_end;              /* upstream's wait, which the timer may end */

/* ---- GStreamer ------------------------------------------------------------------------ */

mtype task_state = STOPPED;
bool task_is_on_pad;            /* gst_pad_stop_task () takes it off first, and then waits for it */
bool task_rests = true;         /* it does not hold the source pad's stream lock */
bool sink_lock;                 /* the sink pad's stream lock */
bool sink_is_active, sink_is_flushing = true;
#define SINK_REFUSES (!sink_is_active || sink_is_flushing)
bool src_is_active, src_is_flushing = true;
bool is_linked = true;

/* ---- What the checks need ------------------------------------------------------------- */

bool is_pushing;                /* a thread is in gst_pad_push () */
byte latest;                    /* greatest number of an item that has arrived */
byte latest_but_caps;           /* the same of all items but caps */
hidden byte place, position, its_number, its_gen;       /* of find_outdated () and replace () */
hidden mtype its_kind;
byte epoch;                     /* how many flushes and stops are complete */
byte sent_in[ITEMS + 2];        /* the epoch in which an item was sent */
short accepted, passed;         /* items of this epoch: bits */
byte first_caps;                /* number of the first caps that were accepted since the start */
bool caps_are_known;            /* on the source pad */
bool query_is_used;             /* the task has the query */
bool is_configuring;
bool is_told, is_posted, has_ended;
#if defined (RELINKS) || defined (STOPS_BESIDE_FLUSHES)
bool may_fail = false;
#else
bool may_fail = true;           /* downstream returns one error */
#endif
bool is_blocked;                /* downstream takes nothing until it flushes or this ends */
bool is_acting;                 /* someone flushes, stops or starts */
byte n_actions;
bool is_dropping;               /* a flush or a stop drops items and resets what belongs to the stream */
bool upstream_is_done, application_is_done;
#ifdef STOPS_BESIDE_FLUSHES
bool flusher_is_done, application_has_started;
#else
bool flusher_is_done = true;
#endif

#define KEEPS_EVENT(kind) (kind == SEGMENT || kind == CAPS)
#if defined (FAULT_BUFFER_IS_OVERTAKEN)
#define MUST_NOT_BE_OVERTAKEN(kind, by) (by == SEGMENT && kind == CAPS)
#elif defined (FAULT_CAPS_ARE_OVERTAKEN)
#define MUST_NOT_BE_OVERTAKEN(kind, by) (!KEEPS_EVENT (kind))
#else
#define MUST_NOT_BE_OVERTAKEN(kind, by) (!KEEPS_EVENT (kind) || (by == SEGMENT && kind == CAPS))
#endif

inline broadcast_arrived () { task_waits = false }
inline broadcast_progressed () { upstream_waits = false }

inline set_flow (f)
{
  flow = f;
#ifndef FAULT_NO_WAKE_AT_FLUSH_OF_TASK
  broadcast_arrived ();
#endif
#ifndef FAULT_NO_WAKE_AT_FLUSH_OF_UPSTREAM
  broadcast_progressed ()
#endif
}

inline begin_stream ()
{
  upstream_has_ended = false;
  downstream_is_eos = false;
  downstream_has_taken = false;
  set_flow (OK)
}

inline start_flushing ()
{
  generation++;
  set_flow (FLUSHING)
}

inline leave ()
{
  atomic {
    assert (n_in_flight > 0);   /* LEFT */
    n_in_flight--;
    if
#if defined (FAULT_NO_WAKE_AT_LEAVE)
    :: true -> skip
#elif defined (FAULT_WAKE_ONE_TOO_LATE)
    :: awaited_level != NONE && n_in_flight < awaited_level -> broadcast_progressed ()
    :: else
#else
    :: awaited_level != NONE && n_in_flight <= awaited_level -> broadcast_progressed ()
    :: else
#endif
    fi
  }
}

inline item_is_current (result)
{
#ifdef FAULT_STALE_BUFFER
  result = true
#else
  result = item_generation == generation
#endif
}

/* Finds the place of the queued event that a new one replaces; 0: none. To be called in an atomic
 * step, as replace () is. */
inline find_outdated (kind)
{
  place = 0;
  position = 0;
  do
  :: position < len (items) ->
    position++;
    items ? its_kind, its_number, its_gen;
    items ! its_kind, its_number, its_gen;
    if
    :: its_kind == kind -> place = position
    :: its_kind != kind && MUST_NOT_BE_OVERTAKEN (its_kind, kind) -> place = 0
    :: else
    fi
  :: else -> break
  od
}

/* Puts an event there. */
inline replace (number)
{
  position = 0;
  do
  :: position < len (items) ->
    position++;
    items ? its_kind, its_number, its_gen;
    if
    :: position == place ->
      passed = passed | BIT (its_number);       /* it is not needed any more */
      items ! its_kind, number, its_gen
    :: else -> items ! its_kind, its_number, its_gen
    fi
  :: else -> break
  od
}

/* To be called in an atomic step. */
inline push_item (kind, number, item_gen, result)
{
  result = flow;
  place = 0;
  if
  :: flow != FLUSHING && KEEPS_EVENT (kind) ->
    result = OK;
    if
    :: flow != OK -> find_outdated (kind)
    :: else
    fi
  :: else
  fi;
#ifndef FAULT_BUFFER_FROM_BEFORE_FLUSH
  if
  :: kind == BUFFER && item_gen != generation -> result = FLUSHING
  :: else
  fi;
#endif
  if
  :: place != 0 -> replace (number)
  :: place == 0 && result == OK ->
    n_eos = n_eos + (kind == EOS);
    n_begins = n_begins + (kind == SEGMENT);
    items ! kind, number, item_gen;
#ifndef FAULT_NO_WAKE_AT_PUSH
    broadcast_arrived ()
#endif
  :: else
  fi
}

inline remove_item (kind, number)
{
  items ? kind, number, _;
  n_eos = n_eos - (kind == EOS);
  n_begins = n_begins - (kind == SEGMENT);
  query_is_queued = query_is_queued && kind != QUERY
}

/* ---- Downstream ----------------------------------------------------------------------- */

/* gst_pad_push () or gst_pad_push_event () */
inline deliver (kind, number, result)
{
  atomic {
    assert (!is_pushing);       /* ONE_PUSHER */
    is_pushing = true
  }
  atomic {
    (src_is_flushing || !is_blocked);
    result = OK;
    if
    :: src_is_flushing ->
      result = FLUSHING;
      if                        /* a flushing pad keeps the caps */
      :: kind == CAPS && src_is_active -> caps_are_known = true
      :: else
      fi
    :: else ->
      /* ORDER */
      assert (number > latest || (kind == SEGMENT && number > latest_but_caps));
      assert (sent_in[number] == epoch);        /* FRESH */
      assert (kind != BUFFER || first_caps == 0 || number < first_caps || caps_are_known);     /* CAPS_KEPT */
      latest = (number > latest -> number : latest);
      latest_but_caps = (kind == CAPS -> latest_but_caps : number);
      passed = passed | BIT (number);
      if
      :: kind == CAPS -> caps_are_known = true
      :: else
      fi;
      if
      :: kind == BUFFER && !is_linked -> result = NOT_LINKED
      :: kind == BUFFER && is_linked && may_fail -> may_fail = false; result = ERROR
      :: kind == BUFFER && is_linked && may_fail -> may_fail = false; result = DONE
      :: true
      fi
    fi
  }
  is_pushing = false
}

/* ---- Flushes -------------------------------------------------------------------------- */

/* histo_queue_flush (). With the fault: gst_pad_pause_task (), which returns at once if the pad has no task any more. */
inline flush_queue (by_task)
{
  atomic { start_flushing () }
  if
  :: by_task
#ifdef FAULT_STOPPING_TASK_IS_NOT_AWAITED
  :: !by_task && !task_is_on_pad
  :: !by_task && task_is_on_pad -> (!task_is_busy)
#else
  :: !by_task -> (!task_is_busy)
#endif
  fi
}

inline begin_drop (by_task)
{
  atomic {
    assert (!is_dropping && (by_task || !task_is_busy));        /* AT_REST */
    is_dropping = true
  }
}

inline drop_queued (keeps)
{
  do
  :: atomic { nempty (items) -> remove_item (dropped, dropped_number) };
    if
    :: dropped == BUFFER ->
#ifndef FAULT_DROP_KEEPS_PLACE
      leave ()
#endif
    :: dropped == QUERY -> atomic { query_is_answered = true; broadcast_progressed () }
    :: dropped == CAPS && keeps ->
#ifndef FAULT_CAPS_DROPPED
      caps_are_known = true
#endif
    :: else
    fi
  :: atomic { empty (items) -> dropped = 0; dropped_number = 0; break }
  od
}

/* histo_queue_resume () */
inline resume ()
{
  atomic {
    if
    :: is_active -> begin_stream (); task_state = STARTED
    :: else
    fi
  }
}

inline end_flush (by_task)
{
  flush_queue (by_task);
  begin_drop (by_task);
  drop_queued (true);
  is_dropping = false;
  atomic {
    epoch++; accepted = 0; passed = 0; is_told = false; is_posted = false; has_ended = false;
    if
    :: src_is_active -> src_is_flushing = false
    :: else
    fi
  }
  resume ()
}

/* by_upstream, by_task: in a handler in that thread, which holds its pad's stream lock. */
inline flush (by_upstream, by_task)
{
  /* FLUSH_START */
  sink_is_flushing = true;
  if
  :: atomic { sink_is_active -> src_is_flushing = true };
    flush_queue (by_task)
  :: atomic { !sink_is_active }
  fi;
  /* FLUSH_STOP: an inactive pad refuses it, also if it has become inactive while this waits for its lock. */
  if
  :: atomic { sink_is_active -> sink_is_flushing = false };
    if
    :: by_upstream
    :: else -> atomic { !sink_lock -> sink_lock = true }
    fi;
    if
    :: sink_is_flushing
    :: else -> end_flush (by_task)
    fi;
    if
    :: by_upstream
    :: else -> sink_lock = false
    fi
  :: atomic { !sink_is_active }
  fi
}

/* A handler of a message flushes, or not. */
inline post (by_upstream, by_task)
{
#ifdef HANDLERS
  if
  :: atomic { !is_acting && n_actions < ACTIONS && !SINK_REFUSES -> is_acting = true; n_actions++ };
    flush (by_upstream, by_task);
    is_acting = false
  :: true
  fi
#else
  skip
#endif
}

/* ---- Upstream's thread ---------------------------------------------------------------- */

/* To be called in an atomic step, which ends where this waits. */
inline wait_for_level (n, has_end)
{
  awaited_level = n;
  do
  :: flow == OK && n_in_flight > n ->
    upstream_waits = true;
    wait_has_end = has_end;
    !upstream_waits;
    if
    :: has_end && !wait_has_end -> break        /* the time has come */
    :: else
    fi
  :: else -> break
  od;
  wait_has_end = false;
  awaited_level = NONE
}

inline configure (result)
{
  atomic {
#ifndef FAULT_CONFIGURED_IN_FLIGHT
    wait_for_level (0, false);
#endif
    result = flow
  }
  if
  :: result == OK ->
    is_configuring = true;
    assert (n_in_flight == 0);  /* LIMIT */
    is_configuring = false
  :: else
  fi
}

inline enter (gen, result)
{
  atomic {
    if
    :: flow == OK && n_in_flight > MAX_IN_FLIGHT - 1 ->
      wait_for_level (BATCH_LEVEL, true);
      wait_for_level (MAX_IN_FLIGHT - 1, false)
    :: else
    fi;
    result = flow;
    if
    :: result == OK && downstream_is_eos && n_begins == 0 -> result = DONE
    :: else
    fi;
    if
    :: gen != generation -> result = FLUSHING
    :: else
    fi;
    if
    :: result == OK ->
      n_in_flight++;
      assert (n_in_flight <= MAX_IN_FLIGHT && !is_configuring)  /* LIMIT */
    :: else
    fi
  }
}

#ifdef FAULT_BUSY_IS_IGNORED
#define IS_IDLE (flow == OK && empty (items) && !downstream_is_eos)
#elif defined (FAULT_QUEUE_IS_OVERTAKEN)
#define IS_IDLE (flow == OK && !task_is_busy && !downstream_is_eos)
#else
#define IS_IDLE (flow == OK && empty (items) && !task_is_busy && !downstream_is_eos)
#endif

/* is_pushed: downstream had a buffer */
inline end_item (result, is_pushed)
{
  if
#ifdef FAULT_RELINK_IS_FORGOTTEN
  :: item_generation != generation
#else
  :: item_generation != generation || (result == NOT_LINKED && was_relinked)
#endif
  :: else ->
    downstream_has_taken = downstream_has_taken || is_pushed;
    if
    :: result == DONE -> downstream_is_eos = true
    :: result != OK && result != DONE && flow == OK -> set_flow (result)
    :: else
    fi
  fi;
  result = flow
}

/* Waits until everything before this buffer is passed on. To be called in an atomic step, which ends
 * where this waits. */
inline wait_until_idle ()
{
  awaits_idle = true;
  do
  :: downstream_has_taken && flow == OK && !downstream_is_eos && (task_is_busy || len (items) > 0) ->
    upstream_waits = true;
    !upstream_waits
  :: else -> break
  od;
  awaits_idle = false
}

/* Publishes the result of a buffer in flight and pushes it. */
inline push_buffer (number, by_upstream, by_task, current, result)
{
  post (by_upstream, by_task);
  leave ();
  item_is_current (current);
  result = OK;
  if
  :: current -> deliver (BUFFER, number, result)
  :: else
  fi
}

proctype upstream ()
{
  byte number = 0, gen, dropped_number;
  mtype kind, result, dropped;
  bool current, direct, refused;

  do
  :: number <= ITEMS && !(has_ended && kind == EOS) ->
    atomic {
      number++;
      if
      :: number > ITEMS -> kind = EOS
      :: number == 1 -> kind = SEGMENT
      :: number > 1 && number <= ITEMS -> kind = CAPS
      :: number > 1 && number <= ITEMS -> kind = BUFFER
      :: number > 1 && number <= ITEMS -> kind = BUFFER
      :: number > 2 && number <= ITEMS -> kind = SEGMENT
#if !defined (RELINKS) && !defined (STOPS_BESIDE_FLUSHES)
      :: number > 2 && number <= ITEMS -> kind = QUERY
#endif
      fi
    }
    atomic { !sink_lock -> sink_lock = true }
    atomic {
      sent_in[number] = epoch;
      refused = SINK_REFUSES;
      result = FLUSHING
    }
    if
    :: refused
    :: !refused && kind == BUFFER ->
      gen = generation;
      post (true, false);
      enter (gen, result);
      if
      :: result == OK ->
        post (true, false);
        atomic {
          direct = false;
          if
          :: true -> wait_until_idle (); direct = downstream_has_taken && IS_IDLE && gen == generation
          :: direct = IS_IDLE && gen == generation      /* histo_queue_upstream_may_push () */
          :: true
          fi;
          if
          :: direct -> was_relinked = false; item_generation = generation
          :: else
          fi
        }
        if
        :: direct ->
          push_buffer (number, true, false, current, result);
          atomic { end_item (result, current) }
        :: else ->
          atomic { push_item (kind, number, gen, result) }
          if
          :: result != OK -> leave ()
          :: else
          fi
        fi
      :: else
      fi
    :: !refused && kind == QUERY ->
      atomic {
        query_is_answered = false;
        push_item (kind, number, gen, result);
        query_is_queued = result == OK
      }
      if
      :: result == OK ->
        atomic {
          do
          :: query_is_answered -> break
#ifdef FAULT_QUERY_IS_NOT_AWAITED
          :: !query_is_answered && flow != OK -> break
#else
          :: !query_is_answered && flow != OK && query_is_queued ->
            items ?? QUERY, _, _;
            query_is_queued = false;
            passed = passed | BIT (number);     /* the sender knows */
            break
#endif
          :: else -> upstream_waits = true; !upstream_waits
          od;
          assert (!query_is_used)       /* ANSWERED */
        }
      :: else
      fi
    :: else ->
      result = OK;
      if
      :: kind == CAPS ->
        configure (result);
        if
        :: result == NOT_LINKED -> result = OK
        :: else
        fi
      :: else
      fi;
      if
      :: result == OK -> atomic { push_item (kind, number, gen, result) }
        if
#ifndef FAULT_ERROR_AT_EOS_IS_LOST
        :: kind == EOS && (result == NOT_LINKED || result == ERROR) -> is_posted = true
#endif
        :: else
        fi
      :: else
      fi
    fi;
    atomic {
      if
      :: kind == CAPS && result == OK && sent_in[number] == epoch && first_caps == 0 -> first_caps = number
      :: else
      fi;
      if
      :: sent_in[number] == epoch && kind != QUERY && result == OK -> accepted = accepted | BIT (number)
      :: else
      fi;
      if
      :: sent_in[number] == epoch && kind == EOS -> has_ended = true
      :: sent_in[number] == epoch && (result == ERROR || result == NOT_LINKED) -> is_told = true
      :: else
      fi;
      gen = 0; sent_in[number] = (result == OK -> sent_in[number] : epoch);
      sink_lock = false
    }
    /* A source that was refused goes on after the flush or the start. */
    if
    :: result == FLUSHING -> (!SINK_REFUSES || (application_is_done && flusher_is_done))
    :: else
    fi;
    result = 0
  :: else -> break
  od;
  upstream_is_done = true
}

/* ---- The source pad's task ------------------------------------------------------------ */

inline end_busy ()
{
  task_is_busy = false;
  if
#ifndef FAULT_NO_WAKE_AT_IDLE
  :: flow != OK || (awaits_idle && (len (items) == 0 || downstream_is_eos)) -> broadcast_progressed ()
#endif
  :: else
  fi
}

proctype task ()
{
  byte number, dropped_number, gen;
  mtype kind, result, dropped;
  bool current, unwanted, ended, is_pushed;

rest:
  task_rests = true;
end_rest:
  atomic { task_state == STARTED -> task_rests = false }

  do
  :: task_state != STARTED -> goto rest
  :: else ->
    atomic {
      /* histo_queue_pop () */
      do
      :: flow == OK && empty (items) ->
        task_waits = true;
end_pop:
        !task_waits
      :: flow != OK || nempty (items) -> break
      od;
      result = flow;
      unwanted = false;
      is_pushed = false;
      kind = 0;
      if
      :: flow == OK ->
        remove_item (kind, number);
        task_is_busy = true;
        was_relinked = false;
        item_generation = generation;
        if
        :: kind == SEGMENT -> downstream_is_eos = false; upstream_has_ended = false
        :: kind == EOS -> upstream_has_ended = true
        :: kind == QUERY -> query_is_used = true
        :: else
        fi;
        unwanted = kind == BUFFER && downstream_is_eos
      :: else
      fi
    }
    if
    :: kind == 0
    :: kind == BUFFER && unwanted -> passed = passed | BIT (number); leave ()
    :: kind == BUFFER && !unwanted -> push_buffer (number, false, true, current, result); is_pushed = current
    :: kind == QUERY ->
      deliver (kind, number, result);
      result = OK;
      atomic { query_is_used = false; query_is_answered = true; broadcast_progressed () }
    :: kind == EOS ->
      post (false, true);
      item_is_current (current);
      if
      :: current -> deliver (kind, number, result)
      :: else
      fi;
      result = OK
    :: else ->
      deliver (kind, number, result);
      result = OK
    fi;
    /* histo_queue_end_item () */
    atomic {
      if
#ifndef FAULT_ITEM_IS_NOT_REQUIRED
      :: !task_is_busy -> result = flow
      :: else -> end_item (result, is_pushed)
#else
      :: true -> end_item (result, is_pushed)
#endif
      fi;
      ended = upstream_has_ended || n_eos > 0;
      if
      :: result == OK -> end_busy ()
      :: else
      fi
    }
    if
    :: result != OK ->
      atomic {
        if
        :: ended && (result == NOT_LINKED || result == ERROR) -> is_posted = true
        :: else
        fi
      }
      /* histo_queue_rest () */
      atomic {
        end_busy ();
#ifndef FAULT_PAUSE_WITHOUT_LOCK
        if
        :: flow != OK && task_state == STARTED -> task_state = PAUSED
        :: else
        fi
#endif
      }
#ifdef FAULT_PAUSE_WITHOUT_LOCK
      atomic {
        if
        :: task_state == STARTED -> task_state = PAUSED
        :: else
        fi
      }
#endif
    :: else
    fi;
    atomic { number = 0; result = 0; kind = 0; ended = false; current = false; is_pushed = false }
  od
}

/* ---- The application ------------------------------------------------------------------ */

inline start ()
{
  atomic { src_is_active = true; src_is_flushing = false }
#ifdef FAULT_START_LEAVES_FLUSHING
  atomic { is_active = true; begin_stream () }
#else
  is_active = true;
#endif
  atomic { task_state = STARTED; task_is_on_pad = true }
  atomic { sink_is_active = true; sink_is_flushing = false }
#ifndef FAULT_START_LEAVES_FLUSHING
  resume ()
#endif
}

inline stop ()
{
  /* The source pad first. */
  atomic { src_is_active = false; src_is_flushing = true }
  atomic { is_active = false; start_flushing () }
  atomic { task_state = STOPPED; task_is_on_pad = false }
  (task_rests);
  /* The sink pad */
  atomic { sink_is_active = false; sink_is_flushing = true }
  atomic { start_flushing () }
#ifndef FAULT_STOP_WITHOUT_STREAM_LOCK
  atomic { !sink_lock -> sink_lock = true }
#endif
  begin_drop (false);
  drop_queued (false);
  is_dropping = false;
#ifndef FAULT_STOP_WITHOUT_STREAM_LOCK
  sink_lock = false;
#endif
  atomic {
    assert (n_in_flight == 0 && empty (items) && !query_is_used);       /* LEFT */
    epoch++; accepted = 0; passed = 0; is_told = false; is_posted = false; has_ended = false;
    caps_are_known = false; first_caps = 0
  }
}

inline act ()
{
  if
#if !defined (HANDLERS) && !defined (RELINKS)
  :: stop (); start ()
#endif
#if !defined (HANDLERS) && !defined (RELINKS) && !defined (STOPS_BESIDE_FLUSHES)
  :: !SINK_REFUSES -> flush (false, false)
#endif
#if !defined (HANDLERS) && !defined (STOPS_BESIDE_FLUSHES)
  :: atomic { is_linked = false };
    is_linked = true;
    atomic {                    /* RECONFIGURE: histo_queue_relink () */
      was_relinked = true;
      if
      :: flow == NOT_LINKED -> downstream_has_taken = false; set_flow (OK); task_state = STARTED
      :: else
      fi
    }
#endif
#ifndef RELINKS
  :: stop ()
#endif
  fi;
  is_acting = false
}

proctype application ()
{
  byte dropped_number;
  mtype dropped;

  if
#ifndef RELINKS
  :: is_blocked = true
#endif
  :: true
  fi;
  start ();
#ifdef STOPS_BESIDE_FLUSHES
  application_has_started = true;
#endif
  do
  :: atomic { !is_acting && n_actions < ACTIONS -> is_acting = true; n_actions++ };
    act ()
  :: true -> break
  od;
  is_blocked = false;
  atomic { !is_acting -> application_is_done = true }
}

#ifdef STOPS_BESIDE_FLUSHES
proctype flusher ()
{
  byte dropped_number;
  mtype dropped;

  (application_has_started);
  flush (false, false);
  flusher_is_done = true
}
#endif

/* ---- The timer, and what holds at the end ---------------------------------------------- */

proctype timer ()
{
end_timer:
  do
  :: atomic { upstream_waits && wait_has_end -> wait_has_end = false; upstream_waits = false }
  od
}

#define TASK_IS_IDLE (task_rests || (task_waits && !task_is_busy))

proctype at_end ()
{
end_wait:
  atomic {
    (upstream_is_done && application_is_done && flusher_is_done && !is_acting && TASK_IS_IDLE
        && (task_state != STARTED || task_waits));
    /* NO_LOSS, LEFT */
    if
    :: flow == OK -> assert (empty (items) && n_in_flight == 0 && (accepted & ~passed) == 0)
    :: flow == ERROR || flow == NOT_LINKED ->
      assert (flow == ERROR || !is_linked);     /* RELINKED */
      assert (!has_ended || is_told || is_posted)       /* TOLD */
    :: flow == FLUSHING -> assert (SINK_REFUSES)        /* FLOWS */
    fi
  }
}

init {
  atomic {
    run application (); run upstream (); run task (); run timer (); run at_end ();
#ifdef STOPS_BESIDE_FLUSHES
    run flusher ()
#endif
  }
}
