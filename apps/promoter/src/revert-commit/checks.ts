import type { RevertCommit } from '@interlock/api';
import { checkOf } from '../promotion/checks.js';
import type { CheckLine, StatusFinding } from '../promotion/model.js';
import { besideRules } from '../promotion/rules.js';
import type { RevertGates } from './observed.js';

const success = (name: string, reason: string, message: string): CheckLine => ({
  name,
  state: 'success',
  reason,
  message,
});

/** Returns one line for each rule of a promotion. */
export function revertRules({ held }: RevertGates): CheckLine[] {
  return [
    success('Forward', 'Exempt', 'a revert goes backwards; it is exempt from Forward'),
    success('Order', 'Exempt', 'a revert concerns one environment; it is exempt from Order'),
    held === undefined
      ? success('NotHeld', 'NotHeld', 'no hold')
      : { name: 'NotHeld', state: 'pending', ...held },
  ];
}

/** Returns one line per rule and check. All must be `success` for a revert to be merged automatically. */
export function revertChecks({ skipChecks = [] }: RevertCommit['spec'], gates: RevertGates): CheckLine[] {
  const { findings, skippableChecks } = gates;
  const checks = findings.map((finding) =>
    skipChecks.includes(finding.key) ? skipped(finding, skippableChecks) : checkOf(finding),
  );
  return [...revertRules(gates), ...checks.map(besideRules)];
}

function skipped(finding: StatusFinding, skippableChecks: readonly string[]): CheckLine {
  const { key } = finding;
  if (skippableChecks.includes(key)) return success(key, 'Skipped', 'skipped by spec.skipChecks');
  const line = checkOf(finding);
  if (line.state === 'success') return line;
  const message = `${line.message}; spec.skipChecks lists the check, but revertPolicy.skippableChecks of the strategy does not`;
  return { ...line, message };
}
