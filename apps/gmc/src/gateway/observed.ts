import type { ActionsGateway, Kind, RunnerGroup } from '@interlock/api';
import type { FieldProblem, OrProblem } from '@interlock/base';
import type { AppCredential } from '@interlock/broker';
import type { TenantContext } from '../render/context.js';
import type { CaBundle } from './ca-bundle.js';

/** An object that exists and carries the label of the gateway. */
export interface OwnedObject {
  kind: Kind;
  name: string;
  uid: string;
  isBeingDeleted: boolean;
}

/** The pods of a Deployment. */
export interface PodCount {
  ready: number;
  /** The image of the program. */
  image?: string | undefined;
  /** Whether pods of an earlier template may still run. */
  isRollingOut?: boolean | undefined;
  /** Whether the Deployment was scaled to zero, from which an autoscaler does not scale it up. */
  isStopped?: boolean | undefined;
  /** Why the ReplicaSet cannot create pods, for example a ResourceQuota; absent if it can. */
  failure?: string | undefined;
}

/** The known networks of GitHub. */
export interface GithubRanges {
  ranges: readonly string[];
  /** Milliseconds since the epoch. */
  fetchedAt: number;
}

/** An ActionsGateway and everything that determines its state. */
export interface ObservedGateway {
  gateway: ActionsGateway;
  context: TenantContext;
  /** Whether the platform team has labeled the namespace as a tenant. */
  isTenant: boolean;
  /** What the platform team does not allow in the gateway, in case it bypassed the webhook. */
  problems: readonly FieldProblem[];
  /** The credential in the referenced Secret. Only its validity matters here. */
  credential: OrProblem<AppCredential>;
  /** The referenced certificate authorities; undefined if none are referenced. */
  caBundle: OrProblem<CaBundle> | undefined;
  githubRanges: GithubRanges | undefined;
  /** Whether the first read of the networks of GitHub has neither succeeded nor failed yet. */
  areRangesAwaited: boolean;
  /** Whether the NetworkPolicy of the egress proxy exists and allows networks of GitHub. Read only while these are unknown. */
  hasEgressRules: boolean;
  /** Undefined if the Deployment does not exist. */
  proxy: PodCount | undefined;
  controller: PodCount | undefined;
  /** The RunnerGroups of the gateway. */
  groups: readonly RunnerGroup[];
  /** The RunnerGroups that the controller of the gateway manages: all of the namespace. */
  served: readonly RunnerGroup[];
  owned: readonly OwnedObject[];
  /**
   * RunnerGroups that the gateway does not own, and that its controller holds by a finalizer. Read only while the last gateway of
   * the namespace is being deleted.
   */
  strays: readonly RunnerGroup[];
  /** The number of worker pods that are bound to a node and have not ended. Read only while the last gateway of the namespace is being deleted. */
  workers: number;
}
