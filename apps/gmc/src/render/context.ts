import type { ActionsGateway } from '@interlock/api';

/** What the objects of every tenant of an installation are made from. */
export interface Installation {
  /** Of this release; a label of every object. */
  version: string;
  /** Images of the controller and of the proxy, best with a digest. */
  images: { controller: string; proxy: string };
  /** The image of workers whose RunnerGroup names none; absent: that of the controller. */
  workerImage?: string | undefined;
  /** The version of the runner that is reported to GitHub; absent: that of the image of the controller. */
  runnerVersion?: string | undefined;
  /** The ClusterRole that the controller of each tenant gets, in its namespace alone. */
  tenantRole: string;
  /** Addresses of the API server, which are reached without the proxy: `10.96.0.1`, `fd00::1`, `api.example.com`. */
  apiServer: readonly string[];
  /** Networks of the API server for NetworkPolicies; empty: any, by the ports of an API server. */
  apiServerRanges: readonly string[];
  /** Hosts that tenants may reach through their proxies beside that of their gitHubURL; `*.suffix` includes those below. */
  allowedHosts: readonly string[];
  /** Networks that proxies reach beside those of GitHub, private ones too: an address in one of them is never refused. */
  extraRanges: readonly string[];
}

/** What the objects of one tenant are made from beside its ActionsGateway. */
export interface TenantContext {
  installation: Installation;
  /** Networks of GitHub; undefined: not known yet, so that the proxy reaches nobody. */
  githubRanges: readonly string[] | undefined;
  /** The Secret in the namespace of the gateway that holds the credential: the one that is named, or a copy of it. */
  credentialSecret: string;
  /** Of the certificate authorities of `gitHubCABundleRef`; undefined where there are none that can be used. */
  caBundleDigest?: string | undefined;
}

/** Returns the namespace of a gateway. */
export function namespaceOf({ metadata }: ActionsGateway): string {
  return metadata.namespace ?? '';
}

/** Returns whether the credential is kept in another namespace, so that the controller gets a copy: pods mount Secrets of their own. */
export function isCentral({ metadata, spec: { gitHubAppRef } }: ActionsGateway): boolean {
  return gitHubAppRef.namespace !== undefined && gitHubAppRef.namespace !== metadata.namespace;
}
