//! A breaker of busbar's family in plain Rust, to be measured beside it: one state word that all
//! threads read, the end of the wait in a word beside it, outcomes in time buckets of atomics, and
//! a look at the clock in each call. Only what the measured calls need: it never opens by itself.
//!
//!     seed refused|own|shared THREADS MILLISECONDS
//!
//! `own`: permit + success with buckets for each thread, as busbar has them. `shared`: with one set
//! of buckets for all. Prints { "operations": all threads', "nanoseconds": all threads' } as JSON.

use std::env;
use std::hint::black_box;
use std::process::exit;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed, Ordering::SeqCst};
use std::sync::{Arc, Barrier};
use std::thread;
use std::time::{Duration, Instant};

const BUCKETS: usize = 10;
const BUCKET_NS: u64 = 1_000_000_000;
const LONG_WAIT_NS: u64 = 600 * 1_000_000_000;
const MINIMUM_CALLS: u64 = 20;
const FAILURE_RATE: f64 = 0.5;

/// Operations between two looks of the measurement itself at the clock.
const BATCH: u64 = 1_000;

/// A state word is { generation, state }: the lowest bit says open.
const OPEN: u32 = 1;
const COUNT_BITS: u32 = 32;
const COUNT_MASK: u64 = (1 << COUNT_BITS) - 1;

/// Counts of one slice of time. Each word is { number of the slice, count }, so that the first
/// outcome of a new slice replaces the old count in one step.
#[derive(Default)]
struct Bucket {
    calls: AtomicU64,
    failures: AtomicU64,
}

/// One writer, or all of them. On cache lines of its own.
#[derive(Default)]
#[repr(align(128))]
struct Shard {
    admitted: AtomicU64,
    succeeded: AtomicU64,
    refused: AtomicU64,
    buckets: [Bucket; BUCKETS],
}

#[repr(align(128))]
struct Control {
    state: AtomicU32,
    open_until: AtomicU64,
}

struct Breaker {
    control: Control,
    zero: Instant,
    shards: Vec<Shard>,
    one_writer: bool,
}

impl Breaker {
    fn new(open: bool, shards: usize, one_writer: bool) -> Breaker {
        let state = AtomicU32::new(if open { OPEN } else { 0 });
        let open_until = AtomicU64::new(if open { LONG_WAIT_NS } else { 0 });
        Breaker {
            control: Control { state, open_until },
            zero: Instant::now(),
            shards: (0..shards).map(|_| Shard::default()).collect(),
            one_writer,
        }
    }

    fn now(&self) -> u64 {
        self.zero.elapsed().as_nanos() as u64
    }

    /// Totals that no decision reads: plain where there is one writer.
    fn count(&self, total: &AtomicU64) {
        if self.one_writer {
            total.store(total.load(Relaxed) + 1, Relaxed);
        } else {
            total.fetch_add(1, Relaxed);
        }
    }

    fn try_acquire(&self, shard: &Shard) -> Option<u32> {
        let seen = self.control.state.load(SeqCst);
        if seen & OPEN != 0 && self.now() < self.control.open_until.load(SeqCst) {
            self.count(&shard.refused);
            return None;
        }
        self.count(&shard.admitted);
        Some(seen >> 1)
    }

    fn record_success(&self, shard: &Shard, permit: u32) {
        if self.control.state.load(SeqCst) >> 1 != permit {
            return;
        }
        self.count(&shard.succeeded);
        let slice = self.now() / BUCKET_NS;
        let calls = &shard.buckets[slice as usize % BUCKETS].calls;
        if add(calls, slice) {
            self.judge(slice);
        }
    }

    /// At the first outcome of a slice in a shard: would the window open the breaker?
    fn judge(&self, slice: u64) {
        let (mut calls, mut failures) = (0, 0);
        for bucket in self.shards.iter().flat_map(|shard| &shard.buckets) {
            calls += counted(&bucket.calls, slice);
            failures += counted(&bucket.failures, slice);
        }
        if calls >= MINIMUM_CALLS && failures as f64 / calls as f64 >= FAILURE_RATE {
            self.control.state.fetch_or(OPEN, SeqCst);
        }
    }
}

/// Counts one more in this slice. True when it is the first.
fn add(word: &AtomicU64, slice: u64) -> bool {
    let seen = word.load(SeqCst);
    if seen >> COUNT_BITS == slice && seen & COUNT_MASK != 0 {
        word.fetch_add(1, SeqCst);
        return false;
    }
    let first = slice << COUNT_BITS | 1;
    if word.compare_exchange(seen, first, SeqCst, SeqCst).is_ok() {
        return true;
    }
    word.fetch_add(1, SeqCst);
    false
}

fn counted(word: &AtomicU64, slice: u64) -> u64 {
    let seen = word.load(SeqCst);
    let is_current = slice.wrapping_sub(seen >> COUNT_BITS) < BUCKETS as u64;
    if is_current { seen & COUNT_MASK } else { 0 }
}

/// One thread's part: operations, and the nanoseconds that they took.
fn measure(breaker: &Breaker, shard: &Shard, settles: bool, gate: &Barrier, ms: u64) -> (u64, u64) {
    for _ in 0..BATCH {
        operate(breaker, shard, settles);
    }
    gate.wait();
    let started = Instant::now();
    let mut operations = 0;
    loop {
        for _ in 0..BATCH {
            operate(breaker, shard, settles);
        }
        operations += BATCH;
        let elapsed = started.elapsed();
        if elapsed >= Duration::from_millis(ms) {
            return (operations, elapsed.as_nanos() as u64);
        }
    }
}

fn operate(breaker: &Breaker, shard: &Shard, settles: bool) {
    let permit = black_box(breaker.try_acquire(shard));
    match permit {
        Some(permit) if settles => breaker.record_success(shard, permit),
        None if !settles => {}
        _ => fail("a call came out wrong"),
    }
}

fn fail(what: &str) -> ! {
    eprintln!("seed: {what}");
    exit(1)
}

fn main() {
    let arguments: Vec<String> = env::args().collect();
    let [_, mode, threads, ms] = arguments.as_slice() else {
        fail("refused|own|shared THREADS MILLISECONDS")
    };
    let threads: usize = threads.parse().unwrap_or_else(|_| fail("how many threads?"));
    let ms: u64 = ms.parse().unwrap_or_else(|_| fail("how many milliseconds?"));
    let settles = mode != "refused";
    let shards = if mode == "shared" { 1 } else { threads };
    let breaker = Arc::new(Breaker::new(!settles, shards, mode != "shared"));
    let gate = Arc::new(Barrier::new(threads));

    let running: Vec<_> = (0..threads)
        .map(|index| {
            let (breaker, gate) = (breaker.clone(), gate.clone());
            let work = move || measure(&breaker, &breaker.shards[index % shards], settles, &gate, ms);
            thread::spawn(work)
        })
        .collect();
    let (mut operations, mut nanoseconds) = (0, 0);
    for thread in running {
        let (own, elapsed) = thread.join().unwrap_or_else(|_| fail("a thread died"));
        operations += own;
        nanoseconds += elapsed;
    }
    check(&breaker, settles, operations + threads as u64 * BATCH);
    println!("{{\"operations\":{operations},\"nanoseconds\":{nanoseconds}}}");
}

/// The totals must be the calls made, and the state the one that was meant.
fn check(breaker: &Breaker, settles: bool, calls: u64) {
    let sum = |of: fn(&Shard) -> &AtomicU64| -> u64 {
        breaker.shards.iter().map(|shard| of(shard).load(SeqCst)).sum()
    };
    let (permitted, refused) = if settles { (calls, 0) } else { (0, calls) };
    let is_right = sum(|shard| &shard.admitted) == permitted
        && sum(|shard| &shard.succeeded) == permitted
        && sum(|shard| &shard.refused) == refused
        && breaker.control.state.load(SeqCst) & OPEN == if settles { 0 } else { OPEN };
    if !is_right {
        fail("the totals are not the calls made");
    }
}
