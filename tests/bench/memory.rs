//! The memory and the processor time of a process, read and watched.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Memory a process holds (`VmRSS`), KiB.
pub fn resident_kib(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

/// The same in megabytes.
pub fn megabytes(process: u32) -> f64 {
    resident_kib(process) as f64 / 1024.0
}

/// Processor time a process has used, in user mode and in the system's, to a hundredth of a second.
pub fn processor_time(process: u32) -> Duration {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // Behind the name, which may hold anything, the twelfth and thirteenth fields.
    let rest = stat.rsplit_once(") ").map_or("", |(_, rest)| rest);
    let ticks = rest.split_whitespace().skip(11).take(2).filter_map(|ticks| ticks.parse::<u64>().ok());
    Duration::from_millis(ticks.sum::<u64>() * 10)
}

/// Looks at a process's memory while something runs.
pub struct Watch {
    done: Arc<AtomicBool>,
    thread: std::thread::JoinHandle<u64>,
}

impl Watch {
    pub fn start(process: u32) -> Self {
        let done = Arc::new(AtomicBool::new(false));
        let seen = done.clone();
        let thread = std::thread::spawn(move || {
            let mut peak = 0;
            while !seen.load(Ordering::Relaxed) {
                peak = peak.max(resident_kib(process));
                std::thread::sleep(Duration::from_millis(10));
            }
            peak
        });
        Self { done, thread }
    }

    /// The most it saw, KiB.
    pub fn stop(self) -> u64 {
        self.done.store(true, Ordering::Relaxed);
        self.thread.join().unwrap()
    }
}
