import { DiskCache } from './cache/disk.js';
import { freeBytesOf } from './cache/size.js';
import { Mirror } from './mirror.js';
import { checkUrl } from './names.js';
import { createMemory, type Memory } from './objects/memory.js';
import { ReaderSlots } from './objects/reader-slots.js';
import { defaultMaxMirrorBytes, defaultTimeouts, type GitOptions } from './options.js';
import { maxReaders } from './process/memory-share.js';
import { gitMetrics } from './process/metrics.js';
import { Runner } from './process/runner.js';
import { blobTurns, DirectBlobs } from './remote/direct-blobs.js';
import { DirectPacks, packTurns } from './remote/direct-packs.js';
import { DirectRefs } from './remote/direct-refs.js';
import { Offer, type DirectOptions } from './remote/direct-requests.js';
import { HttpClient } from './remote/http-client.js';
import { RemoteGit, type CredentialSource } from './remote/remote-git.js';
import { mirrorName, Repository } from './repository.js';

export interface MirrorOptions {
  /** https, http, ssh or file, as the options allow; without credentials in it. */
  url: string;
  /**
   * Called before every process and request that uses the remote, so that short-lived tokens work; undefined if none are
   * needed.
   */
  credentials?: CredentialSource;
  /**
   * The group of readers with the same access, for instance the namespace and the name of the provider. The same URL
   * under another tenant is another mirror, so that no tenant reads with the credentials of another tenant.
   */
  tenant: string;
  /**
   * The owner for fair scheduling: processes of one owner, such as a namespace, do not delay the processes of other
   * owners. Default: the tenant.
   */
  owner?: string;
  /** Whether the URL is a folder of this machine (`file:`), which only this option allows. */
  onDisk?: boolean;
  /** Whether pushes are refused: a dry run. */
  readOnly?: boolean;
}

const defaultMaxBytes = 10 * 1024 ** 3;
const defaultMemoryBytes = 64 * 1024 ** 2;
const defaultMaxPacks = 64;
const defaultReaderIdleMs = 60_000;

/** The mirrors of one process. */
export class Git {
  readonly #runner: Runner;
  readonly #disk: DiskCache;
  readonly #direct: DirectOptions;
  readonly #blobTurns = blobTurns();
  readonly #packTurns = packTurns();
  readonly #memory: Memory;
  readonly #slots = new ReaderSlots(maxReaders);
  readonly #mirrors = new Map<string, { tenant: string; repository: Repository; mirror: Mirror }>();

  readonly #options: GitOptions;

  constructor(options: GitOptions) {
    this.#options = options;

    this.#runner = new Runner(options);
    const timeoutMs = options.timeoutsMs?.lsRemote ?? defaultTimeouts.lsRemote;
    this.#direct = {
      client: new HttpClient(timeoutMs),
      timeoutMs,
      closed: this.#runner.closed,
      metrics: gitMetrics(options.metrics),
      log: options.log,
    };
    this.#memory = createMemory(options.maxMemoryBytes ?? defaultMemoryBytes);
    this.#disk = new DiskCache({
      directory: options.cacheDir,
      maxBytes: options.maxBytes ?? defaultMaxBytes,
      reserveBytes: options.maxMirrorBytes ?? defaultMaxMirrorBytes,
      freeBytes: options.freeBytes ?? (() => freeBytesOf(options.cacheDir)),
      now: options.now ?? Date.now,
      onEvict: (name) => this.#mirrors.get(name)?.repository.reader.close(),
      log: options.log,
    });
  }

  /**
   * Returns the mirror of a repository, the same one for the same tenant and URL; nothing is read or fetched yet. The
   * latest `credentials` are used for all calls.
   * @throws TypedError `Invalid` for a URL that is not allowed.
   */
  mirror(options: MirrorOptions): Mirror {
    const { url, tenant, owner = tenant, onDisk = false, readOnly = false } = options;
    const { credentials = () => Promise.resolve(undefined) } = options;
    checkUrl(url, onDisk ? ['file'] : this.#runner.transports);
    const name = mirrorName(tenant, url);
    const known = this.#mirrors.get(name);
    if (known) {
      known.repository.remote.credentials = credentials;
      known.repository.readOnly = readOnly;
      return known.mirror;
    }
    const offer = new Offer(this.#direct.client);
    const direct = {
      refs: new DirectRefs(offer, this.#direct),
      blobs: new DirectBlobs(offer, this.#direct, this.#blobTurns),
      packs: new DirectPacks(offer, this.#direct, this.#packTurns),
    };
    const repository = new Repository(
      name,
      new RemoteGit(url, credentials, this.#runner, direct),
      this.#runner,
      this.#disk,
      {
        owner,
        slots: this.#slots,
        readerIdleMs: this.#options.readerIdleMs ?? defaultReaderIdleMs,
        maxBytes: this.#options.maxMirrorBytes ?? defaultMaxMirrorBytes,
        maxPacks: this.#options.maxPacks ?? defaultMaxPacks,
        log: this.#options.log,
      },
    );
    repository.readOnly = readOnly;
    const mirror = new Mirror(repository, this.#memory);
    this.#mirrors.set(name, { tenant, repository, mirror });
    this.#disk.remember(name);
    return mirror;
  }

  /**
   * Releases the memory, the processes and the disk space of the mirrors of a tenant, except for one. Running
   * operations finish; a mirror that is used again is recreated.
   */
  async forget(tenant: string, except?: Mirror): Promise<void> {
    const ours = [...this.#mirrors].filter(([, one]) => one.tenant === tenant && one.mirror !== except);
    for (const [name, { mirror }] of ours) {
      this.#mirrors.delete(name);
      mirror.release();
    }
    await Promise.all(ours.map(([name]) => this.#disk.forget(name)));
  }

  /** Ends every git process and connection; the mirrors stay on disk. Calls in flight reject. */
  close(): void {
    this.#runner.close();
    this.#direct.client.close();
    this.#slots.closeAll(this.#runner.closed.reason);
  }
}

/** Returns the mirrors in `options.cacheDir`; the folder is created when it is needed. */
export function createGit(options: GitOptions): Git {
  return new Git(options);
}
