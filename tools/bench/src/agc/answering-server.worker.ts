import { serveMethods } from '../serve-methods.js';
import { AnsweringServer, type ServerMethods } from './answering-server.js';

/** The script of this module for a separate process; the bundler inserts it here. */
export declare const source: string;

serveMethods<ServerMethods>(new AnsweringServer());
