import { serveMethods } from '../serve-methods.js';
import { Writer, type WriterMethods } from './writer.js';

/** The script of this module for a separate process; the bundler inserts it here. */
export declare const source: string;

const [, , kubeConfig = ''] = process.argv;
serveMethods<WriterMethods>(new Writer(kubeConfig));
