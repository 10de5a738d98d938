/* An entry point for programs that are too small for the rest of this library. It loads no server, metrics or
   telemetry. */
export {
  durationFlag,
  enumFlag,
  integerFlag,
  listFlag,
  stringFlag,
  UsageError,
  type Flag,
  type Flags,
  type FlagValues,
} from './define.js';
export { parseFlags } from './parse.js';
export { addressFlag, type BindAddress } from '../http/address.js';
