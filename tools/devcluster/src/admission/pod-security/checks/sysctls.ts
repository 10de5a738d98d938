import { objectsAt, textAt } from '../../../object.js';
import type { Check, CheckPod } from './check.js';

/** The safe kernel parameters by the version that added them. */
const added: readonly (readonly [since: number, names: readonly string[]])[] = [
  [
    0,
    [
      'kernel.shm_rmid_forced',
      'net.ipv4.ip_local_port_range',
      'net.ipv4.tcp_syncookies',
      'net.ipv4.ping_group_range',
      'net.ipv4.ip_unprivileged_port_start',
    ],
  ],
  [27, ['net.ipv4.ip_local_reserved_ports']],
  [
    29,
    [
      'net.ipv4.tcp_keepalive_time',
      'net.ipv4.tcp_fin_timeout',
      'net.ipv4.tcp_keepalive_intvl',
      'net.ipv4.tcp_keepalive_probes',
    ],
  ],
  [32, ['net.ipv4.tcp_rmem', 'net.ipv4.tcp_wmem']],
];

const check =
  (allowed: readonly string[]): CheckPod =>
  ({ spec }) => {
    const bad = objectsAt(spec, 'securityContext', 'sysctls')
      .map((sysctl) => textAt(sysctl, 'name'))
      .filter((name) => !allowed.includes(name));
    return bad.length === 0 ? undefined : { reason: 'forbidden sysctls', detail: bad.join(', ') };
  };

/** Baseline: the pod may set only kernel parameters that do not affect other pods. */
export const sysctls: Check = {
  id: 'sysctls',
  level: 'baseline',
  versions: added.map(([since], index) => ({
    since,
    check: check(added.slice(0, index + 1).flatMap(([, names]) => names)),
  })),
};
