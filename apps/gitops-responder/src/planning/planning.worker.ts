export { locateInThread, operationsInThread, planInThread, planOfflineInThread } from './isolated.js';

/** The script of this module for a worker thread; the bundler inserts it here. */
export declare const source: string;
