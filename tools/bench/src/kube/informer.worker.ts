import { Informer, type InformerMethods } from './informer.js';
import { serveMethods } from '../serve-methods.js';

/** The script of this module for a separate process; the bundler inserts it here. */
export declare const source: string;

const [, , kubeConfig = ''] = process.argv;
serveMethods<InformerMethods>(new Informer(kubeConfig));
