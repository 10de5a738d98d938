import { describe, expect, it } from '@jest/globals';
import { reportOf, tableOf } from './report.js';

const machine = { cores: 2, memoryGiB: 24, platform: 'linux-x64', node: '20.20.2', load: 0.5 };
const report = reportOf('promoter', machine, [
  { metric: 'webhook to open pull request', value: 123.456, unit: 'ms' },
  { metric: 'git processes', value: 60, unit: 'per hour', peer: 2_700 },
  { metric: 'SCM API calls', value: 12_345, unit: 'per hour', peer: 0 },
]);

describe('the report', () => {
  it('is one JSON object, with the ratio if there is a peer', () => {
    expect(JSON.parse(JSON.stringify(report))).toEqual({
      name: 'promoter',
      machine,
      results: [
        { metric: 'webhook to open pull request', value: 123, unit: 'ms', peer: null, ratio: null },
        { metric: 'git processes', value: 60, unit: 'per hour', peer: 2_700, ratio: 0.0222 },
        { metric: 'SCM API calls', value: 12_345, unit: 'per hour', peer: 0, ratio: null },
      ],
    });
  });

  it('is a readable table', () => {
    expect(tableOf(report).split('\n')).toEqual([
      'promoter: 2 cores, 24 GiB, Node.js 20.20.2, load 0.5 at the start',
      '',
      'metric                        value  unit      peer   ratio',
      '----------------------------  -----  --------  ----  ------',
      'webhook to open pull request    123  ms           -       -',
      'git processes                    60  per hour  2700  0.0222',
      'SCM API calls                 12345  per hour     0       -',
    ]);
  });
});
