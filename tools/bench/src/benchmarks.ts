import { agc } from './agc/agc.js';
import type { Benchmark } from './benchmark.js';
import { gates } from './gates/gates.js';
import { gmc } from './gmc/gmc.js';
import { kube } from './kube/kube.js';
import { processes } from './process/process.js';
import { promoter } from './promoter/promoter.js';
import { proxy } from './proxy/proxy.js';

/** The benchmarks, by name. */
export const benchmarks: ReadonlyMap<string, Benchmark> = new Map([
  ['agc', agc],
  ['gates', gates],
  ['gmc', gmc],
  ['kube', kube],
  ['process', processes],
  ['promoter', promoter],
  ['proxy', proxy],
]);
