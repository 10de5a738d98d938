import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../schema/types.js';
import { describeViolations, violationsOf } from './evaluate.js';
import type { Level } from './policy.js';

/** The security context that the restricted level requires for every container. */
const hardened: JsonObject = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ['ALL'] },
  runAsNonRoot: true,
  seccompProfile: { type: 'RuntimeDefault' },
};

function pod(
  securityContext: JsonObject = {},
  spec: JsonObject = {},
  container: JsonObject = {},
): JsonObject {
  return { containers: [{ name: 'c', image: 'x', securityContext, ...container }], ...spec };
}

function found(
  level: Level,
  spec: JsonObject,
  annotations: Record<string, string> = {},
  minor = Infinity,
): string {
  return describeViolations(violationsOf({ level, minor }, { annotations, spec }));
}

describe('baseline', () => {
  it.each<[string, JsonObject, string]>([
    ['nothing', pod(), ''],
    [
      'namespaces of the node',
      pod({}, { hostNetwork: true, hostPID: true, hostIPC: true }),
      'host namespaces (hostNetwork=true, hostPID=true, hostIPC=true)',
    ],
    [
      'privileged containers',
      {
        containers: [{ name: 'a', securityContext: { privileged: true } }],
        initContainers: [{ name: 'i', securityContext: { privileged: true } }],
      },
      'privileged (containers "i", "a" must not set securityContext.privileged=true)',
    ],
    [
      'capabilities',
      pod({ capabilities: { add: ['SYS_ADMIN', 'CHOWN', 'NET_RAW'] } }),
      'non-default capabilities (container "c" must not include "NET_RAW", "SYS_ADMIN" in securityContext.capabilities.add)',
    ],
    [
      'volumes of the node',
      pod(
        {},
        {
          volumes: [
            { name: 'v', hostPath: { path: '/' } },
            { name: 'w', hostPath: { path: '/x' } },
          ],
        },
      ),
      'hostPath volumes (volumes "v", "w")',
    ],
    [
      'ports of the node',
      pod({}, {}, { ports: [{ hostPort: 90 }, { hostPort: 0 }, { hostPort: 80 }] }),
      'hostPort (container "c" uses hostPorts 80, 90)',
    ],
    [
      'hosts of probes',
      pod(
        {},
        {},
        { livenessProbe: { httpGet: { host: 'h' } }, lifecycle: { preStop: { tcpSocket: { host: 'g' } } } },
      ),
      'probe or lifecycle host (container "c" uses probe or lifecycle hosts "g", "h")',
    ],
    [
      'AppArmor profiles',
      pod(
        { appArmorProfile: { type: 'Unconfined' } },
        { securityContext: { appArmorProfile: { type: 'Unconfined' } } },
      ),
      'forbidden AppArmor profile (pod and container "c" must not set AppArmor profile type to "Unconfined")',
    ],
    [
      'SELinux options',
      pod({ seLinuxOptions: { type: 'spc_t', user: 'u', role: 'r' } }),
      'seLinuxOptions (container "c" set forbidden securityContext.seLinuxOptions: type "spc_t"; user may not be set; role may not be set)',
    ],
    [
      'masks of /proc',
      pod({ procMount: 'Unmasked' }),
      'procMount (container "c" must not set securityContext.procMount to "Unmasked")',
    ],
    ['masks of /proc in a user namespace', pod({ procMount: 'Unmasked' }, { hostUsers: false }), ''],
    [
      'seccomp profiles',
      pod({ seccompProfile: { type: 'Unconfined' } }),
      'seccompProfile (container "c" must not set securityContext.seccompProfile.type to "Unconfined")',
    ],
    [
      'kernel parameters',
      pod({}, { securityContext: { sysctls: [{ name: 'kernel.msgmax' }, { name: 'net.ipv4.tcp_rmem' }] } }),
      'forbidden sysctls (kernel.msgmax)',
    ],
    [
      'processes of a Windows node',
      pod(
        { windowsOptions: { hostProcess: true } },
        { securityContext: { windowsOptions: { hostProcess: true } } },
      ),
      'hostProcess (pod and container "c" must not set securityContext.windowsOptions.hostProcess=true)',
    ],
  ])('reports %s', (_what, spec, expected) => {
    expect(found('baseline', spec)).toBe(expected);
  });

  it('reports annotations for AppArmor by their text', () => {
    const key = 'container.apparmor.security.beta.kubernetes.io/c';
    expect(found('baseline', pod(), { [key]: 'unconfined' })).toBe(
      `forbidden AppArmor profile (annotation must not set AppArmor profile type to "${key}="unconfined"")`,
    );
  });

  it.each<[string, number, JsonObject, Record<string, string>, string]>([
    [
      'hosts of probes since 1.34 only',
      33,
      pod({}, {}, { startupProbe: { httpGet: { host: 'h' } } }),
      {},
      '',
    ],
    [
      'kernel parameters that became safe later',
      31,
      pod({}, { securityContext: { sysctls: [{ name: 'net.ipv4.tcp_rmem' }] } }),
      {},
      'forbidden sysctls (net.ipv4.tcp_rmem)',
    ],
    [
      'annotations for seccomp before 1.19',
      18,
      pod(),
      { 'seccomp.security.alpha.kubernetes.io/pod': 'unconfined' },
      'seccompProfile (forbidden annotation seccomp.security.alpha.kubernetes.io/pod="unconfined")',
    ],
    [
      'no annotations for seccomp since 1.19',
      19,
      pod(),
      { 'seccomp.security.alpha.kubernetes.io/pod': 'unconfined' },
      '',
    ],
  ])('reports %s', (_what, minor, spec, annotations, expected) => {
    expect(found('baseline', spec, annotations, minor)).toBe(expected);
  });
});

describe('restricted', () => {
  it.each<[string, JsonObject, string]>([
    ['nothing in a hardened container', pod(hardened), ''],
    [
      'all missing fields, in the order of the check ids',
      pod(),
      'allowPrivilegeEscalation != false (container "c" must set securityContext.allowPrivilegeEscalation=false), unrestricted capabilities (container "c" must set securityContext.capabilities.drop=["ALL"]), runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true), seccompProfile (pod or container "c" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")',
    ],
    [
      'capabilities only once, because the stricter check replaces the other check',
      pod({ ...hardened, capabilities: { drop: ['NET_RAW'], add: ['NET_BIND_SERVICE', 'CHOWN'] } }),
      'unrestricted capabilities (container "c" must set securityContext.capabilities.drop=["ALL"]; container "c" must not include "CHOWN" in securityContext.capabilities.add)',
    ],
    [
      'types of volumes',
      pod(hardened, {
        volumes: [
          { name: 'v', hostPath: { path: '/' } },
          { name: 'n', nfs: {} },
          { name: 'e', emptyDir: {} },
        ],
      }),
      'restricted volume types (volumes "v", "n" use restricted volume types "hostPath", "nfs")',
    ],
    [
      'containers that may run as root, by the field of the pod and a container',
      pod({ ...hardened, runAsNonRoot: false }, { securityContext: { runAsNonRoot: false } }),
      'runAsNonRoot != true (pod and container "c" must not set securityContext.runAsNonRoot=false)',
    ],
    [
      'containers that run as root, by the user id',
      pod({ ...hardened, runAsUser: 0 }, { securityContext: { runAsUser: 0 } }),
      'runAsUser=0 (pod and container "c" must not set runAsUser=0)',
    ],
    [
      'nothing for root in a user namespace',
      pod({ ...hardened, runAsUser: 0, runAsNonRoot: false }, { hostUsers: false }),
      '',
    ],
    [
      'masks of /proc even in a user namespace',
      pod({ ...hardened, procMount: 'Unmasked' }, { hostUsers: false }),
      'procMount (container "c" must not set securityContext.procMount to "Unmasked")',
    ],
    ['nothing that does not apply to Windows', pod({ runAsNonRoot: true }, { os: { name: 'windows' } }), ''],
    [
      'nothing for fields that the pod sets for its containers',
      pod(
        { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
        { securityContext: { runAsNonRoot: true, seccompProfile: { type: 'Localhost' } } },
      ),
      '',
    ],
  ])('reports %s', (_what, spec, expected) => {
    expect(found('restricted', spec)).toBe(expected);
  });
});

it('reports nothing at the privileged level', () => {
  expect(found('privileged', pod({ privileged: true }, { hostNetwork: true }))).toBe('');
});
