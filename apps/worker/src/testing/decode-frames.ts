/** Reads frames from bytes, based only on the description of the protocol, not on code of the program. */
export function decodeFrames(bytes: Uint8Array): { type: number; text: string }[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const frames = [];
  for (let at = 0; at < bytes.length;) {
    const type = view.getInt32(at, true);
    const length = view.getInt32(at + 4, true);
    const start = at + 8;
    at = start + length;
    if (at > bytes.length || length % 2 !== 0) throw new Error(`a frame of ${length} bytes does not end`);
    let text = '';
    for (let place = start; place < at; place += 2) text += String.fromCharCode(view.getUint16(place, true));
    frames.push({ type, text });
  }
  return frames;
}
