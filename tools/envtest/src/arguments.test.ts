import { describe, expect, it } from '@jest/globals';
import { apiServerArguments, controllerManagerArguments, etcdArguments, type KeyFiles } from './arguments.js';

const files: KeyFiles = {
  ca: '/run/ca.crt',
  servingCertificate: '/run/serving.crt',
  servingKey: '/run/serving.key',
  serviceAccountKey: '/run/accounts.key',
  serviceAccountPublicKey: '/run/accounts.pub',
};
const apiServer = { port: 6443, etcdPort: 2379, files, certificateFolder: '/run/certificates' };
const servingFlags = ['--tls-cert-file=/run/serving.crt', '--tls-private-key-file=/run/serving.key'];

/* Flags that Kubernetes removed before 1.30, or that bind outside the loopback interface. */
const refused = /insecure|--cloud-|=0\.0\.0\.0|--admission-control=|--kubelet-https|--experimental-|--port=/;

describe('arguments', () => {
  it('of etcd name free ports for clients and peers', () => {
    expect(etcdArguments({ clientPort: 2379, peerPort: 2380, dataFolder: '/run/etcd' })).toEqual([
      '--name=envtest',
      '--data-dir=/run/etcd',
      '--listen-client-urls=http://127.0.0.1:2379',
      '--advertise-client-urls=http://127.0.0.1:2379',
      '--listen-peer-urls=http://127.0.0.1:2380',
      '--initial-advertise-peer-urls=http://127.0.0.1:2380',
      '--initial-cluster=envtest=http://127.0.0.1:2380',
      '--unsafe-no-fsync=true',
    ]);
  });

  const apiServerFlags = [
    '--etcd-servers=http://127.0.0.1:2379',
    '--bind-address=127.0.0.1',
    '--secure-port=6443',
    '--advertise-address=127.0.0.1',
    '--endpoint-reconciler-type=none',
    '--cert-dir=/run/certificates',
    ...servingFlags,
    '--client-ca-file=/run/ca.crt',
    '--authorization-mode=RBAC',
    '--service-account-issuer=https://kubernetes.default.svc.cluster.local',
    '--service-account-key-file=/run/accounts.pub',
    '--service-account-signing-key-file=/run/accounts.key',
    '--service-cluster-ip-range=10.0.0.0/24',
    '--allow-privileged=true',
    '--profiling=false',
  ];

  it.each([
    ['do not disable service account admission with a controller manager', true, apiServerFlags],
    [
      'disable service account admission without a controller manager',
      false,
      [...apiServerFlags, '--disable-admission-plugins=ServiceAccount'],
    ],
  ])('of kube-apiserver %s', (_, hasControllerManager, expected) => {
    expect(apiServerArguments({ ...apiServer, hasControllerManager })).toEqual(expected);
  });

  it('of kube-controller-manager act as an admin and issue no certificates', () => {
    expect(controllerManagerArguments({ port: 10257, kubeconfig: '/run/admin', files })).toEqual([
      '--kubeconfig=/run/admin',
      '--authentication-kubeconfig=/run/admin',
      '--authorization-kubeconfig=/run/admin',
      '--authentication-tolerate-lookup-failure=true',
      '--bind-address=127.0.0.1',
      '--secure-port=10257',
      ...servingFlags,
      '--leader-elect=false',
      '--use-service-account-credentials=true',
      '--service-account-private-key-file=/run/accounts.key',
      '--root-ca-file=/run/ca.crt',
      '--kube-api-qps=200',
      '--kube-api-burst=400',
      '--profiling=false',
    ]);
  });

  it('have no flag that Kubernetes removed, and no address that other machines can reach', () => {
    const all = [
      ...etcdArguments({ clientPort: 1, peerPort: 2, dataFolder: '/run/etcd' }),
      ...apiServerArguments({ ...apiServer, hasControllerManager: false }),
      ...controllerManagerArguments({ port: 3, kubeconfig: '/run/admin', files }),
    ];
    expect(all.filter((argument) => refused.test(argument))).toEqual([]);
    expect('--insecure-port=0').toMatch(refused);
  });
});
