//! What code does with bytes and cannot do by itself in time: encoding, digests, random values, packing. Pure functions
//! but for the random ones. Bytes come in as base64, which the engine writes by itself, and go out as a `Uint8Array`
//! in the engine's own memory, where its limit counts them.

use crate::limits::CODE_BYTES_MAX;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use encoding_rs::Encoding;
use flate2::Compression;
use flate2::read::{DeflateDecoder, DeflateEncoder, GzEncoder, MultiGzDecoder, ZlibDecoder, ZlibEncoder};
use hmac::{Hmac, KeyInit, Mac};
use md5::Md5;
use rquickjs::{Ctx, Exception, Function, Object, TypedArray};
use sha1::Sha1;
use sha2::{Digest, Sha224, Sha256, Sha384, Sha512};
use std::io::Read;

/// Random bytes that code may ask for at once (manual 14.12).
const CODE_RANDOM_BYTES_MAX: usize = 64 * 1024;

/// Why a function has no result, as the code reads it.
type ErrorText = &'static str;

const TOO_MANY_BYTES: ErrorText = "more bytes than code can work with at once";
const UNKNOWN_DIGEST: ErrorText = "there is no such digest";

/// Adds the functions to the object that the prelude gets.
pub(super) fn install<'js>(ctx: &Ctx<'js>, native: &Object<'js>) -> rquickjs::Result<()> {
    let encode = |ctx: Ctx<'js>, text: String| to_typed_array(&ctx, check_size(text.into_bytes()));
    native.set("encode", Function::new(ctx.clone(), encode)?)?;
    let decode = |ctx: Ctx<'js>, packed: String, label: String, fatal: bool| {
        decode(&packed, &label, fatal).map_err(|why| Exception::throw_type(&ctx, why))
    };
    native.set("decode", Function::new(ctx.clone(), decode)?)?;
    native.set("encoding", Function::new(ctx.clone(), |label: String| encoding(&label))?)?;
    let random = |ctx: Ctx<'js>, count: f64| to_typed_array(&ctx, random(count));
    native.set("random", Function::new(ctx.clone(), random)?)?;
    let digest =
        |ctx: Ctx<'js>, algorithm: String, packed: String| to_typed_array(&ctx, digest(&algorithm, &packed));
    native.set("digest", Function::new(ctx.clone(), digest)?)?;
    let hmac = |ctx: Ctx<'js>, algorithm: String, key: String, packed: String| {
        to_typed_array(&ctx, hmac(&algorithm, &key, &packed))
    };
    native.set("hmac", Function::new(ctx.clone(), hmac)?)?;
    let zlib = |ctx: Ctx<'js>, work: String, packed: String| to_typed_array(&ctx, zlib(&work, &packed));
    native.set("zlib", Function::new(ctx.clone(), zlib)?)?;
    Ok(())
}

fn to_typed_array<'js>(
    ctx: &Ctx<'js>,
    bytes: Result<Vec<u8>, ErrorText>,
) -> rquickjs::Result<TypedArray<'js, u8>> {
    match bytes {
        Ok(bytes) => TypedArray::new_copy(ctx.clone(), bytes),
        Err(why) => Err(Exception::throw_range(ctx, why)),
    }
}

fn check_size(bytes: Vec<u8>) -> Result<Vec<u8>, ErrorText> {
    if bytes.len() > CODE_BYTES_MAX { Err(TOO_MANY_BYTES) } else { Ok(bytes) }
}

fn unpack(packed: &str) -> Result<Vec<u8>, ErrorText> {
    if packed.len() > CODE_BYTES_MAX / 3 * 4 + 4 {
        return Err(TOO_MANY_BYTES);
    }
    STANDARD.decode(packed).map_err(|_| "these are no bytes")
}

/// The name of an encoding as the web writes it, empty when there is none of this label.
fn encoding(label: &str) -> String {
    Encoding::for_label(label.as_bytes()).map(|found| found.name().to_ascii_lowercase()).unwrap_or_default()
}

fn decode(packed: &str, label: &str, fatal: bool) -> Result<String, ErrorText> {
    let encoding = Encoding::for_label(label.as_bytes()).ok_or("there is no such encoding")?;
    let bytes = unpack(packed)?;
    let (text, damaged) = encoding.decode_without_bom_handling(&bytes);
    if fatal && damaged { Err("The encoded data was not valid") } else { Ok(text.into_owned()) }
}

fn random(count: f64) -> Result<Vec<u8>, ErrorText> {
    let whole = count.trunc();
    if !(whole >= 0.0 && whole <= CODE_RANDOM_BYTES_MAX as f64) {
        return Err("code gets at most 65536 random bytes at once");
    }
    let mut bytes = vec![0; whole as usize];
    getrandom::fill(&mut bytes).map_err(|_| "the system gives no random bytes")?;
    Ok(bytes)
}

fn digest(algorithm: &str, packed: &str) -> Result<Vec<u8>, ErrorText> {
    let bytes = unpack(packed)?;
    Ok(match algorithm {
        "md5" => Md5::digest(&bytes).to_vec(),
        "sha1" => Sha1::digest(&bytes).to_vec(),
        "sha224" => Sha224::digest(&bytes).to_vec(),
        "sha256" => Sha256::digest(&bytes).to_vec(),
        "sha384" => Sha384::digest(&bytes).to_vec(),
        "sha512" => Sha512::digest(&bytes).to_vec(),
        _ => return Err(UNKNOWN_DIGEST),
    })
}

fn hmac(algorithm: &str, key: &str, packed: &str) -> Result<Vec<u8>, ErrorText> {
    let (key, bytes) = (unpack(key)?, unpack(packed)?);
    match algorithm {
        "md5" => compute_hmac::<Hmac<Md5>>(&key, &bytes),
        "sha1" => compute_hmac::<Hmac<Sha1>>(&key, &bytes),
        "sha224" => compute_hmac::<Hmac<Sha224>>(&key, &bytes),
        "sha256" => compute_hmac::<Hmac<Sha256>>(&key, &bytes),
        "sha384" => compute_hmac::<Hmac<Sha384>>(&key, &bytes),
        "sha512" => compute_hmac::<Hmac<Sha512>>(&key, &bytes),
        _ => Err(UNKNOWN_DIGEST),
    }
}

fn compute_hmac<M: Mac + KeyInit>(key: &[u8], bytes: &[u8]) -> Result<Vec<u8>, ErrorText> {
    let mut mac = <M as KeyInit>::new_from_slice(key).map_err(|_| "this is no key")?;
    mac.update(bytes);
    Ok(mac.finalize().into_bytes().to_vec())
}

fn zlib(work: &str, packed: &str) -> Result<Vec<u8>, ErrorText> {
    let bytes = unpack(packed)?;
    let (bytes, level) = (bytes.as_slice(), Compression::default());
    match work {
        "gzip" => read_bounded(GzEncoder::new(bytes, level)),
        "deflate" => read_bounded(ZlibEncoder::new(bytes, level)),
        "deflateRaw" => read_bounded(DeflateEncoder::new(bytes, level)),
        "gunzip" => read_bounded(MultiGzDecoder::new(bytes)),
        "inflate" => read_bounded(ZlibDecoder::new(bytes)),
        "inflateRaw" => read_bounded(DeflateDecoder::new(bytes)),
        "unzip" if bytes.starts_with(&[0x1f, 0x8b]) => read_bounded(MultiGzDecoder::new(bytes)),
        "unzip" => read_bounded(ZlibDecoder::new(bytes)),
        _ => Err("there is no such packing"),
    }
}

/// All that comes out, as far as it may: what goes in says nothing of how much that is.
fn read_bounded(from: impl Read) -> Result<Vec<u8>, ErrorText> {
    let mut out = Vec::new();
    let most = CODE_BYTES_MAX as u64 + 1;
    from.take(most).read_to_end(&mut out).map_err(|_| "the bytes cannot be unpacked")?;
    check_size(out)
}
