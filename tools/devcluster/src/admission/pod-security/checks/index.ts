import { allowPrivilegeEscalation } from './allow-privilege-escalation.js';
import { appArmorProfile } from './app-armor.js';
import { capabilitiesBaseline, capabilitiesRestricted } from './capabilities.js';
import type { Check } from './check.js';
import { hostNamespaces } from './host-namespaces.js';
import { hostPorts } from './host-ports.js';
import { hostProbes } from './host-probes.js';
import { privileged } from './privileged.js';
import { procMountBaseline, procMountRestricted } from './proc-mount.js';
import { runAsNonRoot, runAsUser } from './run-as.js';
import { seLinuxOptions } from './se-linux.js';
import { seccompBaseline, seccompRestricted } from './seccomp.js';
import { sysctls } from './sysctls.js';
import { hostPathVolumes, restrictedVolumes } from './volumes.js';
import { windowsHostProcess } from './windows-host-process.js';

/** All checks of Kubernetes 1.36 in the order in which violations are reported: by id, the baseline checks first. */
export const checks: readonly Check[] = [
  appArmorProfile,
  capabilitiesBaseline,
  hostNamespaces,
  hostPathVolumes,
  hostPorts,
  hostProbes,
  privileged,
  procMountBaseline,
  seLinuxOptions,
  seccompBaseline,
  sysctls,
  windowsHostProcess,
  allowPrivilegeEscalation,
  capabilitiesRestricted,
  procMountRestricted,
  restrictedVolumes,
  runAsNonRoot,
  runAsUser,
  seccompRestricted,
];
