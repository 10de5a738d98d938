/* For programs that are too small for the rest of this library: it loads no server, no metrics and no telemetry. */
export {
  booleanFlag,
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
export { parseFlags, type CommandDefinition, type Environment } from './parse.js';
export { addressFlag, type BindAddress } from '../http/address.js';
