import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { isJsonObject } from './fields.js';

/** The JIT config of a runner in a compact form: a quarter of its size, because the nested base64 is decoded before compression. */
export type CompactConfig = string | { bytes: string };

const maxBytes = 256 * 1024;
/** A small window: each call allocates and frees temporary memory, and a large window would fragment the heap. */
const small = { windowBits: 12, memLevel: 3 };
const wordPattern = /^[A-Za-z0-9+/]{64,}={0,2}$/;

/** Returns a form from which {@link expandConfig} restores the text; the text itself if no form is smaller. */
export function compactConfig(encoded: string): CompactConfig {
  if (encoded.length > maxBytes) return encoded;
  try {
    const files: unknown = JSON.parse(decode(encoded));
    if (!isJsonObject(files)) return encoded;
    const parts = Object.entries(files).map(([name, file]) => [name, packFile(file)]);
    const packed = deflateRawSync(Buffer.from(JSON.stringify(parts), 'latin1'), small);
    const compact = { bytes: packed.toString('latin1') };
    return expandConfig(compact) === encoded ? compact : encoded;
  } catch {
    return encoded;
  }
}

/** Returns the text of a JIT config. */
export function expandConfig(config: CompactConfig): string {
  if (typeof config === 'string') return config;
  const text = inflateRawSync(Buffer.from(config.bytes, 'latin1'), {
    ...small,
    maxOutputLength: maxBytes,
  }).toString('latin1');
  const parts = JSON.parse(text) as [string, unknown][];
  return encode(JSON.stringify(Object.fromEntries(parts.map(([name, file]) => [name, unpackFile(file)]))));
}

function packFile(file: unknown): unknown {
  if (typeof file !== 'string') return [file];
  const content = decode(file);
  const value: unknown = JSON.parse(content);
  if (!isJsonObject(value)) return [file];
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, packValue(one)]));
}

function unpackFile(file: unknown): unknown {
  if (Array.isArray(file)) return file[0];
  const value = file as Record<string, unknown>;
  return encode(
    JSON.stringify(Object.fromEntries(Object.entries(value).map(([name, one]) => [name, unpackValue(one)]))),
  );
}

/** Returns a part of the key as its bytes, one character each; any other value in a list. */
function packValue(value: unknown): unknown {
  if (typeof value !== 'string') return [value];
  return wordPattern.test(value) ? Buffer.from(value, 'base64').toString('latin1') : [value];
}

function unpackValue(value: unknown): unknown {
  return Array.isArray(value) ? value[0] : Buffer.from(value as string, 'latin1').toString('base64');
}

function decode(text: string): string {
  return Buffer.from(text, 'base64').toString('utf8');
}

function encode(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}
