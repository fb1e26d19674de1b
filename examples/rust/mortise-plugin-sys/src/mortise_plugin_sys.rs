// SPDX-License-Identifier: MIT
//! Bindings of `<mortise/plugin.h>`, `<mortise/tool.h>` and `<mortise/extensions.h>`, and a safe
//! wrapper for a plugin of one tool: see `tool!`. Without dependencies.
#![allow(non_camel_case_types)]

use std::ffi::{c_char, c_int, c_void, CStr, CString};
use std::panic::{catch_unwind, AssertUnwindSafe};

pub const MT_ABI_MAJOR: u16 = 1;
pub const MT_ABI_MINOR: u16 = 0;
pub const MT_TOOL_MAJOR: u16 = 1;
pub const MT_TOOL_MINOR: u16 = 0;
pub const MT_KIND_TOOL: u16 = 1;

pub const MT_OK: c_int = 0;
pub const MT_EINVAL: c_int = -1;
pub const MT_EIO: c_int = -3;

pub const MT_ARGUMENTS_DRAFT_1: &CStr = c"mortise.arguments.draft-1";
pub const MT_REQUESTS_DRAFT_1: &CStr = c"mortise.requests.draft-1";
pub const MT_RESULT_DRAFT_1: &CStr = c"mortise.result.draft-1";
pub const MT_ANSWER_PIECE: u32 = 1 << 0;

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
    pub add_tool: mt_unbound,
    pub log: mt_unbound,
    pub log_text: mt_unbound,
    pub extension: Option<unsafe extern "C" fn(*const c_char) -> *const c_void>,
}

#[repr(C)]
pub struct mt_result_draft_1 {
    pub size: u32,
    pub reserved: u32,
    pub structured: PutText,
}

#[repr(C)]
pub struct mt_arguments_draft_1 {
    pub size: u32,
    pub reserved: u32,
    pub length: Option<unsafe extern "C" fn(*mut mt_call, *const c_char, *mut u64) -> c_int>,
    pub read: Option<
        unsafe extern "C" fn(
            *mut mt_call, *const c_char, u64, *mut c_void, usize, *mut usize,
        ) -> c_int,
    >,
}

#[repr(C)]
pub struct mt_answer_draft_1 {
    pub number: u64,
    pub status: i32,
    pub flags: u32,
    pub text: mt_str,
}

#[repr(C)]
pub struct mt_requests_draft_1 {
    pub size: u32,
    pub reserved: u32,
    pub submit:
        Option<unsafe extern "C" fn(*mut mt_call, *const c_char, mt_str, *mut u64) -> c_int>,
    pub wait: Option<unsafe extern "C" fn(*mut mt_call, i64, *mut mt_answer_draft_1) -> c_int>,
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

impl mt_str {
    const EMPTY: mt_str = mt_str { ptr: std::ptr::null(), len: 0 };

    fn of(text: &str) -> mt_str {
        mt_str { ptr: text.as_ptr().cast(), len: text.len() }
    }

    // What the host passes is UTF-8.
    unsafe fn copy(&self) -> String {
        if self.ptr.is_null() {
            return String::new();
        }
        let bytes = unsafe { std::slice::from_raw_parts(self.ptr.cast(), self.len) };

        String::from_utf8_lossy(bytes).into_owned()
    }
}

/// An answer to a request: a JSON object, or the sentence that says why there is none.
pub struct Answer {
    /// Of the request, as `submit` returned it.
    pub number: u64,
    /// A piece of the answer, which comes later.
    pub is_piece: bool,
    pub text: Result<String, String>,
}

fn answer_text(status: c_int, text: &mt_str) -> Result<String, String> {
    let text = unsafe { text.copy() };

    if status == MT_OK { Ok(text) } else { Err(text) }
}

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

    /// Copy a part of a text argument, from a byte offset, into a buffer. The number of copied
    /// bytes, 0 at the end; None if the argument is absent, or the host cannot do it.
    pub fn read(&self, name: &str, offset: u64, buffer: &mut [u8]) -> Option<usize> {
        let name = CString::new(name).ok()?;
        let table: &mt_arguments_draft_1 = unsafe { self.extension(MT_ARGUMENTS_DRAFT_1)? };
        let room = buffer.len();
        let mut length = 0;
        let status = unsafe {
            table.read?(
                self.call, name.as_ptr(), offset, buffer.as_mut_ptr().cast(), room, &mut length,
            )
        };

        (status == MT_OK).then_some(length)
    }

    /// Set the structured result, an object as JSON. False: it was not accepted.
    pub fn structured(&self, json: &str) -> bool {
        let table: Option<&mt_result_draft_1> = unsafe { self.extension(MT_RESULT_DRAFT_1) };
        let set = table.and_then(|table| table.structured);

        set.is_some_and(|set| unsafe {
            set(self.call, json.as_ptr().cast(), json.len()) == MT_OK
        })
    }

    /// Send a request to the host and wait for its answer; `params` is an object as JSON.
    pub fn request(&self, method: &str, params: &str) -> Result<String, String> {
        let method = CString::new(method).map_err(|error| error.to_string())?;
        let request = self.host.request.ok_or("This host answers no requests.")?;
        let mut text = mt_str::EMPTY;
        let status =
            unsafe { request(self.call, method.as_ptr(), mt_str::of(params), &mut text) };

        answer_text(status, &text)
    }

    /// Send a request and do not wait: see `wait`. Its number; None if it was not sent.
    pub fn submit(&self, method: &str, params: &str) -> Option<u64> {
        let method = CString::new(method).ok()?;
        let table: &mt_requests_draft_1 = unsafe { self.extension(MT_REQUESTS_DRAFT_1)? };
        let mut number = 0;
        let status = unsafe {
            table.submit?(self.call, method.as_ptr(), mt_str::of(params), &mut number)
        };

        (status == MT_OK).then_some(number)
    }

    /// The next answer to a submitted request; None if no request is open, or the call is
    /// cancelled.
    pub fn wait(&self) -> Option<Answer> {
        let table: &mt_requests_draft_1 = unsafe { self.extension(MT_REQUESTS_DRAFT_1)? };
        let mut answer =
            mt_answer_draft_1 { number: 0, status: 0, flags: 0, text: mt_str::EMPTY };
        let status = unsafe { table.wait?(self.call, -1, &mut answer) };

        (status == MT_OK).then(|| Answer {
            number: answer.number,
            is_piece: answer.flags & MT_ANSWER_PIECE != 0,
            text: answer_text(answer.status, &answer.text),
        })
    }

    // A table that lives as long as the process; `T` has to be the type of this name.
    unsafe fn extension<T>(&self, name: &CStr) -> Option<&'static T> {
        let table = unsafe { self.host.extension?(name.as_ptr()) };

        unsafe { table.cast::<T>().as_ref() }
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
/// With `preview: another` after `run`, this function of the same type says what a call would do.
#[macro_export]
macro_rules! tool {
    (@preview) => { None };
    (@preview $preview:path) => {{
        unsafe extern "C" fn mortise_preview(
            host: *const $crate::mt_tool_host,
            _: *mut ::std::ffi::c_void,
            call: *mut $crate::mt_call,
        ) -> ::std::ffi::c_int {
            unsafe { $crate::run_tool(host, call, $preview) }
        }
        Some(mortise_preview)
    }};
    (plugin: $plugin:expr, name: $name:expr, description: $description:expr,
     hints: $hints:expr, schema: $schema:expr, run: $run:path
     $(, preview: $preview:path)? $(,)?) => {
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
                preview: $crate::tool!(@preview $($preview)?),
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
