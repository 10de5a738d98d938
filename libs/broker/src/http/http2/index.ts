/* The codec of HTTP/2, for servers of tools. */
export { FrameReader } from './frame-reader.js';
export {
  contentOf,
  dataFrame,
  defaultFrameBytes,
  flags,
  frameTypes,
  headerBytes,
  headersFrames,
  pingFrame,
  settingsAckFrame,
  settingsFrame,
  windowUpdateFrame,
} from './frames.js';
export { HeaderBlock } from './header-block.js';
export { HpackDecoder } from './hpack-decoder.js';
export { defaultWindow, settingIds } from './peer-settings.js';
