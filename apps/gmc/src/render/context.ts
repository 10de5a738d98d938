import type { ActionsGateway } from '@interlock/api';

/** Settings of an installation from which the objects of all tenants are rendered. */
export interface Installation {
  /** Version of this release, which is a label of every object. */
  version: string;
  /** Images of the controller and of the proxy, preferably with a digest. */
  images: { controller: string; proxy: string };
  /** The image of workers whose RunnerGroup does not set one; default: the image of the GitHub runner that the controller names. */
  workerImage?: string | undefined;
  /** The version of the runner that is reported to GitHub; default: the version of the default image of workers. */
  runnerVersion?: string | undefined;
  /** The ClusterRole that is bound to the controller of each tenant, in its namespace only. */
  tenantRole: string;
  /** Addresses of the API server, which are reached without the proxy: `10.96.0.1`, `fd00::1`, `api.example.com`. */
  apiServer: readonly string[];
  /** Networks of the API server for NetworkPolicies; empty: any address, on the ports of an API server. */
  apiServerRanges: readonly string[];
  /** Hosts that tenants may reach through their proxies in addition to the host of their gitHubURL; `*.suffix` matches all names below the suffix. */
  allowedHosts: readonly string[];
  /** Networks that proxies may reach in addition to those of GitHub, even if they are private. */
  extraRanges: readonly string[];
}

/** The inputs from which the objects of one tenant are rendered, in addition to its ActionsGateway. */
export interface TenantContext {
  installation: Installation;
  /** Networks of GitHub; undefined if they are not known yet, so that the proxy cannot reach any network. */
  githubRanges: readonly string[] | undefined;
  /** Ports of the API server; undefined if they are not known yet, so that the usual ones are allowed. */
  apiServerPorts: readonly number[] | undefined;
  /** The Secret in the namespace of the gateway that holds the credential: the referenced one, or a copy of it. */
  credentialSecret: string;
  /** The current number of pods of the controller, which the team may change; undefined before they are created. */
  controllerReplicas?: number | undefined;
  /** The version of the Deployment that has this number of pods; undefined before it is created. */
  controllerVersion?: string | undefined;
  /** Digest of the certificate authorities of `gitHubCABundleRef`; undefined if none can be used. */
  caBundleDigest?: string | undefined;
}

/** Returns the namespace of a gateway. */
export function namespaceOf({ metadata }: ActionsGateway): string {
  return metadata.namespace ?? '';
}

/**
 * Returns whether the credential is in another namespace. The controller then uses a copy, because pods can mount only Secrets of
 * their namespace.
 */
export function isCentral({ metadata, spec: { gitHubAppRef } }: ActionsGateway): boolean {
  return gitHubAppRef.namespace !== undefined && gitHubAppRef.namespace !== metadata.namespace;
}
