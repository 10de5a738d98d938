/** The only address on which the processes listen. */
export const loopback = '127.0.0.1';

interface EtcdSettings {
  clientPort: number;
  peerPort: number;
  dataFolder: string;
}

/** Returns the arguments of etcd 3.4 or later: one member, which does not wait for the disk. */
export function etcdArguments({ clientPort, peerPort, dataFolder }: EtcdSettings): string[] {
  const client = `http://${loopback}:${clientPort}`;
  const peer = `http://${loopback}:${peerPort}`;
  return flags({
    name: 'envtest',
    'data-dir': dataFolder,
    'listen-client-urls': client,
    'advertise-client-urls': client,
    'listen-peer-urls': peer,
    'initial-advertise-peer-urls': peer,
    'initial-cluster': `envtest=${peer}`,
    /* The data does not have to survive a power cut. */
    'unsafe-no-fsync': true,
  });
}

/** The files of a run, all PEM. */
export interface KeyFiles {
  ca: string;
  servingCertificate: string;
  servingKey: string;
  /** Signs the tokens of service accounts. */
  serviceAccountKey: string;
  serviceAccountPublicKey: string;
}

interface ApiServerSettings {
  port: number;
  etcdPort: number;
  files: KeyFiles;
  /** Folder for generated certificates, which stays empty with a serving certificate. */
  certificateFolder: string;
  hasControllerManager: boolean;
}

/**
 * Returns the arguments of kube-apiserver 1.30 or later, as in the reference of its command line.
 *
 * The address is given, because the server otherwise searches for an interface with a default route, which a machine
 * without a network does not have; and because Endpoints may not name a loopback address, nothing maintains the
 * Endpoints of the Service `kubernetes`. Routing by the aggregator is off, because otherwise the Service of a webhook
 * cannot be of type ExternalName.
 */
export function apiServerArguments(settings: ApiServerSettings): string[] {
  const { port, etcdPort, files, certificateFolder, hasControllerManager } = settings;
  return flags({
    'etcd-servers': `http://${loopback}:${etcdPort}`,
    'bind-address': loopback,
    'secure-port': port,
    'advertise-address': loopback,
    'endpoint-reconciler-type': 'none',
    'cert-dir': certificateFolder,
    'tls-cert-file': files.servingCertificate,
    'tls-private-key-file': files.servingKey,
    'client-ca-file': files.ca,
    'authorization-mode': 'RBAC',
    'service-account-issuer': 'https://kubernetes.default.svc.cluster.local',
    'service-account-key-file': files.serviceAccountPublicKey,
    'service-account-signing-key-file': files.serviceAccountKey,
    'service-cluster-ip-range': '10.0.0.0/24',
    'allow-privileged': true,
    profiling: false,
    /* The plugin refuses pods until their namespace has a service account, which the controller manager creates. */
    ...(!hasControllerManager && { 'disable-admission-plugins': 'ServiceAccount' }),
  });
}

interface ControllerManagerSettings {
  port: number;
  /** Kubeconfig of a cluster administrator. */
  kubeconfig: string;
  files: KeyFiles;
}

/**
 * Returns the arguments of kube-controller-manager 1.30 or later, as in the reference of its command line. It issues no
 * certificates: the files of a signing authority are not set.
 */
export function controllerManagerArguments({ port, kubeconfig, files }: ControllerManagerSettings): string[] {
  return flags({
    kubeconfig,
    'authentication-kubeconfig': kubeconfig,
    'authorization-kubeconfig': kubeconfig,
    /* The ConfigMap with the authorities of clients may not exist yet; without this flag the process then ends. */
    'authentication-tolerate-lookup-failure': true,
    'bind-address': loopback,
    'secure-port': port,
    'tls-cert-file': files.servingCertificate,
    'tls-private-key-file': files.servingKey,
    'leader-elect': false,
    'use-service-account-credentials': true,
    'service-account-private-key-file': files.serviceAccountKey,
    'root-ca-file': files.ca,
    /* The deletion of a namespace takes about a hundred calls; by default each controller makes 20 a second. */
    'kube-api-qps': 200,
    'kube-api-burst': 400,
    profiling: false,
  });
}

function flags(values: Record<string, string | number | boolean>): string[] {
  return Object.entries(values).map(([name, value]) => `--${name}=${value}`);
}
