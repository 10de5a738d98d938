import { serveMethods } from '../serve-methods.js';
import { Watchers, type WatcherMethods } from './watchers.js';

/** The script of this module for a separate process; the bundler inserts it here. */
export declare const source: string;

const [, , kubeConfig = ''] = process.argv;
serveMethods<WatcherMethods>(new Watchers(kubeConfig));
