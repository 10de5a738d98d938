import { serveMethods } from '../serve-methods.js';
import { Watchers, type WatcherMethods } from './watchers.js';

/** The script of this module for a process of its own; the bundler puts it here. */
export declare const source: string;

const [, , kubeConfig = ''] = process.argv;
serveMethods<WatcherMethods>(new Watchers(kubeConfig));
