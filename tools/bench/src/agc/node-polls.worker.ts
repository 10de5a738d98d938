import { serveMethods } from '../serve-methods.js';
import type { ClientMethods } from './client-methods.js';
import { NodePolls } from './node-polls.js';

/** The script of this module for a separate process; the bundler inserts it here. */
export declare const source: string;

serveMethods<ClientMethods>(new NodePolls());
