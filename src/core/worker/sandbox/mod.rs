//! What a worker gives up, in its own process, before it reads anything a stranger wrote.
//!
//! Everywhere: inherited descriptors, new files, core dumps, memory and processes beyond its limits. On Linux also every
//! system call that is not on the list below, so that even an engine that has been taken over can only compute, and
//! answer on its pipe. On other systems the limits and the engine's own walls are all there is.

#[cfg(target_os = "linux")]
pub(crate) mod system_calls;

/// What the worker may still use.
#[derive(Debug, Clone, Copy)]
pub struct SandboxLimits {
    /// Bytes of memory on top of what the program itself takes at this moment.
    pub memory_bytes: u64,
}

/// A wall that could not be put up; the worker must not go on.
#[derive(Debug, thiserror::Error)]
#[error("the worker could not be confined: {0}")]
pub struct SandboxError(&'static str);

/// Puts up every wall there is. There is no way back.
///
/// # Errors
/// When the system refuses one of them: then nothing may run here.
#[cfg(unix)]
pub fn enter_sandbox(allowance: SandboxLimits) -> Result<(), SandboxError> {
    #[cfg(target_os = "linux")]
    system::die_with_parent()?;
    system::close_inherited();
    system::limit_memory(allowance)?;
    #[cfg(target_os = "linux")]
    system_calls::install_filter()?;
    Ok(())
}

/// Windows has none of these walls for a process that confines itself, so nothing runs there.
///
/// # Errors
/// Always.
#[cfg(not(unix))]
pub fn enter_sandbox(_: SandboxLimits) -> Result<(), SandboxError> {
    Err(SandboxError("this system has no walls for it"))
}

/// Closes what whoever started the service left open. The service's own files close by themselves.
#[cfg(unix)]
pub fn close_inherited() {
    system::close_inherited();
}

/// Lets the process use at most `seconds` more of processor time; then the system kills it, wherever it is.
/// A second wall behind the worker's own clock, for code that never looks at it. Less than a second late.
pub fn limit_processor(seconds: u64) {
    #[cfg(unix)]
    system::limit_processor(seconds);
    #[cfg(not(unix))]
    let _ = seconds;
}

#[cfg(unix)]
mod system {
    use super::{SandboxError, SandboxLimits};
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    use rustix::time::{ClockId, clock_gettime};
    use std::fs;
    use std::os::fd::RawFd;

    /// Input, output and errors; the latter two lead nowhere or to the service.
    const OWN_DESCRIPTORS_COUNT: RawFd = 3;

    /// Dies with the service, cannot gain rights by starting a program, and cannot be looked into.
    #[cfg(target_os = "linux")]
    pub(super) fn die_with_parent() -> Result<(), SandboxError> {
        use rustix::process::{DumpableBehavior, Signal};
        rustix::process::set_parent_process_death_signal(Some(Signal::KILL))
            .map_err(|_| SandboxError("it would outlive the service"))?;
        rustix::thread::set_no_new_privs(true).map_err(|_| SandboxError("it could gain rights"))?;
        rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable)
            .map_err(|_| SandboxError("others could look into it"))
    }

    /// See [`super::close_inherited`].
    pub(super) fn close_inherited() {
        let Ok(entries) = fs::read_dir("/dev/fd") else { return };
        let inherited: Vec<RawFd> = entries
            .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
            .filter(|descriptor| *descriptor >= OWN_DESCRIPTORS_COUNT)
            .collect();
        for descriptor in inherited {
            // The descriptor the list was read through is among them, and closed already.
            let _ = nix::unistd::close(descriptor);
        }
    }

    pub(super) fn limit_memory(allowance: SandboxLimits) -> Result<(), SandboxError> {
        let most = |resource, value: u64| {
            let now = getrlimit(resource);
            let value = now.maximum.map_or(value, |maximum| value.min(maximum));
            setrlimit(resource, Rlimit { current: Some(value), maximum: Some(value) })
        };
        // First, because finding out its size opens a file.
        #[cfg(target_os = "linux")]
        {
            most(Resource::Nproc, 0).map_err(|_| SandboxError("it could start processes"))?;
            let pages = fs::read_to_string("/proc/self/statm").ok();
            let pages = pages.as_deref().and_then(|text| text.split(' ').next()?.parse::<u64>().ok());
            let pages = pages.ok_or(SandboxError("its size is unknown"))?;
            let size = pages * rustix::param::page_size() as u64 + allowance.memory_bytes;
            most(Resource::As, size).map_err(|_| SandboxError("its memory has no limit"))?;
        }
        most(Resource::Core, 0).map_err(|_| SandboxError("it could leave a core dump"))?;
        most(Resource::Fsize, 0).map_err(|_| SandboxError("it could write files"))?;
        // As many as it has: waiting for one of them takes no new one.
        most(Resource::Nofile, OWN_DESCRIPTORS_COUNT as u64)
            .map_err(|_| SandboxError("it could open files"))?;
        #[cfg(not(target_os = "linux"))]
        let _ = allowance;
        Ok(())
    }

    pub(super) fn limit_processor(seconds: u64) {
        let used = clock_gettime(ClockId::ProcessCPUTime).tv_sec;
        // The system counts whole seconds.
        let until = u64::try_from(used).unwrap_or_default().saturating_add(seconds).saturating_add(1);
        let limit = Rlimit { current: Some(until), maximum: getrlimit(Resource::Cpu).maximum };
        // Where the system refuses, the service's own clock ends the worker a little later.
        let _ = setrlimit(Resource::Cpu, limit);
    }
}
