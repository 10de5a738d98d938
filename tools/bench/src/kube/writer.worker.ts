import { serveMethods } from '../serve-methods.js';
import { Writer, type WriterMethods } from './writer.js';

/** The script of this module for a process of its own; the bundler puts it here. */
export declare const source: string;

const [, , kubeConfig = ''] = process.argv;
serveMethods<WriterMethods>(new Writer(kubeConfig));
