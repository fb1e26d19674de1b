// SPDX-License-Identifier: MIT
//! Bindings of `<mortise/plugin.h>` and `<mortise/tool.h>`, and a safe wrapper for a plugin
//! of one tool: see `tool!`. Without dependencies.
#![allow(non_camel_case_types)]

use std::ffi::{c_char, c_int, c_void, CString};
use std::panic::{catch_unwind, AssertUnwindSafe};

pub const MT_ABI_MAJOR: u16 = 1;
pub const MT_ABI_MINOR: u16 = 0;
pub const MT_TOOL_MAJOR: u16 = 1;
pub const MT_TOOL_MINOR: u16 = 0;
pub const MT_KIND_TOOL: u16 = 1;

pub const MT_OK: c_int = 0;
pub const MT_EINVAL: c_int = -1;
pub const MT_EIO: c_int = -3;

pub const MT_TOOL_READ_ONLY: u32 = 1 << 0;
pub const MT_TOOL_DESTRUCTIVE: u32 = 1 << 1;
pub const MT_TOOL_IDEMPOTENT: u32 = 1 << 2;
pub const MT_TOOL_OPEN_WORLD: u32 = 1 << 3;
pub const MT_TOOL_PARALLEL: u32 = 1 << 4;

#[repr(C)]
pub struct mt_call {
    private: [u8; 0],
}

#[repr(C)]
pub struct mt_instance {
    private: [u8; 0],
}

#[repr(C)]
pub struct mt_str {
    pub ptr: *const c_char,
    pub len: usize,
}

/// A function that a safe wrapper has not needed yet, or that takes variable arguments.
pub type mt_unbound = Option<unsafe extern "C" fn()>;

type CallText = Option<unsafe extern "C" fn(*mut mt_call) -> *const c_char>;
type PutText = Option<unsafe extern "C" fn(*mut mt_call, *const c_char, usize) -> c_int>;
type GetText =
    Option<unsafe extern "C" fn(*mut mt_call, *const c_char, *mut usize) -> *const c_char>;
type InstanceText = Option<unsafe extern "C" fn(*mut mt_instance) -> *const c_char>;

#[repr(C)]
pub struct mt_tool_host {
    pub size: u32,
    pub reserved: u32,
    pub call_instance: Option<unsafe extern "C" fn(*mut mt_call) -> *mut mt_instance>,
    pub call_tool: CallText,
    pub call_id: CallText,
    pub arg_str: GetText,
    pub arg_int: Option<unsafe extern "C" fn(*mut mt_call, *const c_char, *mut i64) -> c_int>,
    pub arg_number: Option<unsafe extern "C" fn(*mut mt_call, *const c_char, *mut f64) -> c_int>,
    pub arg_bool: Option<unsafe extern "C" fn(*mut mt_call, *const c_char, *mut c_int) -> c_int>,
    pub arg_json: GetText,
    pub reply: mt_unbound,
    pub reply_text: PutText,
    pub reply_media: mt_unbound,
    pub field: mt_unbound,
    pub fail: mt_unbound,
    pub fail_text:
        Option<unsafe extern "C" fn(*mut mt_call, c_int, *const c_char, usize) -> c_int>,
    pub output: PutText,
    pub progress: mt_unbound,
    pub spool: PutText,
    pub spool_path: CallText,
    pub cancelled: Option<unsafe extern "C" fn(*mut mt_call) -> c_int>,
    pub cancel_fd: Option<unsafe extern "C" fn(*mut mt_call) -> c_int>,
    pub time_left_ms: Option<unsafe extern "C" fn(*mut mt_call) -> i64>,
    pub request:
        Option<unsafe extern "C" fn(*mut mt_call, *const c_char, mt_str, *mut mt_str) -> c_int>,
    pub option: Option<unsafe extern "C" fn(*mut mt_instance, *const c_char) -> *const c_char>,
    pub option_int: Option<unsafe extern "C" fn(*mut mt_instance, *const c_char) -> i64>,
    pub option_at: mt_unbound,
    pub workspace: InstanceText,
    pub private_dir: InstanceText,
    pub conversation_dir: InstanceText,
    pub user_dir: InstanceText,
    pub plugin_path: InstanceText,
    pub save: mt_unbound,
    pub saved: mt_unbound,
    pub changed: mt_unbound,
    pub log: mt_unbound,
    pub log_text: mt_unbound,
    pub extension: mt_unbound,
}

#[repr(C)]
pub struct mt_tool {
    pub size: u32,
    pub hints: u32,
    pub name: *const c_char,
    pub title: *const c_char,
    pub description: *const c_char,
    pub brief: *const c_char,
    pub schema: *const c_char,
    pub output_schema: *const c_char,
    pub events: *const c_char,
    pub call: Option<
        unsafe extern "C" fn(*const mt_tool_host, *mut c_void, *mut mt_call) -> c_int,
    >,
    pub function: *const c_void,
    pub deadline_ms: i64,
    pub result_max: i64,
    pub params: *const c_void,
    pub param_count: u32,
    pub reserved: u32,
    pub preview: Option<
        unsafe extern "C" fn(*const mt_tool_host, *mut c_void, *mut mt_call) -> c_int,
    >,
}

#[repr(C)]
pub struct mt_toolset {
    pub size: u32,
    pub flags: u32,
    pub tool_count: u32,
    pub reserved: u32,
    pub tools: *const mt_tool,
    pub open: mt_unbound,
    pub list: mt_unbound,
    pub call: mt_unbound,
    pub input: mt_unbound,
    pub cancel: mt_unbound,
    pub close: mt_unbound,
}

#[repr(C)]
pub struct mt_component {
    pub size: u32,
    pub kind: u16,
    pub reserved: u16,
    pub version_major: u16,
    pub version_minor: u16,
    pub option_count: u32,
    pub name: *const c_char,
    pub summary: *const c_char,
    pub options: *const c_void,
    pub functions: *const c_void,
}

#[repr(C)]
pub struct mt_plugin {
    pub size: u32,
    pub abi_major: u16,
    pub abi_minor: u16,
    pub needs: u64,
    pub flags: u64,
    pub name: *const c_char,
    pub version: *const c_char,
    pub license: *const c_char,
    pub components: *const mt_component,
    pub component_count: u32,
    pub permission_count: u32,
    pub permissions: *const c_void,
    pub id: *const c_char,
    pub vendor: *const c_char,
    pub url: *const c_char,
    pub extension: mt_unbound,
}

/// Constant data with pointers to other constant data, which any thread may read.
#[repr(transparent)]
pub struct Constant<T>(pub T);

unsafe impl<T> Sync for Constant<T> {}

/// A running call, safely.
pub struct Call<'a> {
    host: &'a mt_tool_host,
    call: *mut mt_call,
}

impl Call<'_> {
    /// Text argument; None if it is absent or not a string.
    pub fn text(&self, name: &str) -> Option<&str> {
        let name = CString::new(name).ok()?;
        let mut length = 0;
        let text = unsafe { self.host.arg_str?(self.call, name.as_ptr(), &mut length) };

        if text.is_null() {
            return None;
        }
        // The host passes UTF-8, borrowed until the call returns.
        std::str::from_utf8(unsafe { std::slice::from_raw_parts(text.cast(), length) }).ok()
    }

    /// Integer argument; None if it is absent or not an integer.
    pub fn integer(&self, name: &str) -> Option<i64> {
        let name = CString::new(name).ok()?;
        let mut value = 0;
        let status = unsafe { self.host.arg_int?(self.call, name.as_ptr(), &mut value) };

        (status == MT_OK).then_some(value)
    }

    /// Has the call been cancelled? A long call asks from time to time.
    pub fn is_cancelled(&self) -> bool {
        self.host
            .cancelled
            .is_some_and(|cancelled| unsafe { cancelled(self.call) } != 0)
    }

    fn put(&self, result: Result<String, String>) -> c_int {
        match (result, self.host.reply_text, self.host.fail_text) {
            (Ok(text), Some(reply), _) => unsafe {
                reply(self.call, text.as_ptr().cast(), text.len())
            },
            (Err(text), _, Some(fail)) => unsafe {
                fail(self.call, MT_EIO, text.as_ptr().cast(), text.len())
            },
            _ => MT_EINVAL,
        }
    }
}

/// Run a tool: its result is the reply, its error the sentence that the model reads. A panic
/// is such an error.
///
/// # Safety
/// `host` and `call` are those that the host passed to the tool.
pub unsafe fn run_tool(
    host: *const mt_tool_host,
    call: *mut mt_call,
    run: fn(&Call) -> Result<String, String>,
) -> c_int {
    let call = Call { host: unsafe { &*host }, call };
    let result = catch_unwind(AssertUnwindSafe(|| run(&call)));

    call.put(result.unwrap_or_else(|_| Err("The tool panicked.".to_string())))
}

/// Define a plugin of one tool, with its entry function:
/// `tool! { plugin: "wc", name: "count", description: "...", hints: MT_TOOL_READ_ONLY,
/// schema: "{...}", run: function }` after `fn function(call: &Call) -> Result<String, String>`.
#[macro_export]
macro_rules! tool {
    (plugin: $plugin:expr, name: $name:expr, description: $description:expr,
     hints: $hints:expr, schema: $schema:expr, run: $run:path $(,)?) => {
        unsafe extern "C" fn mortise_run(
            host: *const $crate::mt_tool_host,
            _: *mut ::std::ffi::c_void,
            call: *mut $crate::mt_call,
        ) -> ::std::ffi::c_int {
            unsafe { $crate::run_tool(host, call, $run) }
        }

        static MORTISE_TOOL: $crate::Constant<$crate::mt_tool> =
            $crate::Constant($crate::mt_tool {
                size: ::std::mem::size_of::<$crate::mt_tool>() as u32,
                hints: $hints,
                name: concat!($name, "\0").as_ptr().cast(),
                description: concat!($description, "\0").as_ptr().cast(),
                schema: concat!($schema, "\0").as_ptr().cast(),
                call: Some(mortise_run),
                ..$crate::NO_TOOL
            });
        static MORTISE_SET: $crate::Constant<$crate::mt_toolset> =
            $crate::Constant($crate::mt_toolset {
                size: ::std::mem::size_of::<$crate::mt_toolset>() as u32,
                tool_count: 1,
                tools: &MORTISE_TOOL.0,
                ..$crate::NO_TOOLSET
            });
        static MORTISE_COMPONENT: $crate::Constant<$crate::mt_component> =
            $crate::Constant($crate::mt_component {
                size: ::std::mem::size_of::<$crate::mt_component>() as u32,
                kind: $crate::MT_KIND_TOOL,
                version_major: $crate::MT_TOOL_MAJOR,
                version_minor: $crate::MT_TOOL_MINOR,
                name: concat!($plugin, "\0").as_ptr().cast(),
                functions: (&raw const MORTISE_SET).cast(),
                ..$crate::NO_COMPONENT
            });
        static MORTISE_PLUGIN: $crate::Constant<$crate::mt_plugin> =
            $crate::Constant($crate::mt_plugin {
                size: ::std::mem::size_of::<$crate::mt_plugin>() as u32,
                abi_major: $crate::MT_ABI_MAJOR,
                abi_minor: $crate::MT_ABI_MINOR,
                name: concat!($plugin, "\0").as_ptr().cast(),
                version: "1.0\0".as_ptr().cast(),
                license: "MIT\0".as_ptr().cast(),
                components: &MORTISE_COMPONENT.0,
                component_count: 1,
                ..$crate::NO_PLUGIN
            });

        #[no_mangle]
        pub extern "C" fn mortise_plugin_v1() -> *const $crate::mt_plugin {
            &MORTISE_PLUGIN.0
        }
    };
}

// What `tool!` leaves unset. Every member of these structs may be zero.
pub const NO_TOOL: mt_tool = unsafe { std::mem::zeroed() };
pub const NO_TOOLSET: mt_toolset = unsafe { std::mem::zeroed() };
pub const NO_COMPONENT: mt_component = unsafe { std::mem::zeroed() };
pub const NO_PLUGIN: mt_plugin = unsafe { std::mem::zeroed() };
