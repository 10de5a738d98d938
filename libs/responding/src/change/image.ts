import { isObject, pointerOf, type JsonObject } from './json.js';
import type { ImageSet, Json, PatchOperation } from './operation.js';
import { identityOf } from './yaml/documents.js';

type Steps = readonly (string | number)[];

interface ImageReference {
  name: string;
  tag?: string | undefined;
  digest?: string | undefined;
}

/** Returns the parts of a reference to an image, such as `host:5000/name:tag@sha256:…`. */
export function parseImage(text: string): ImageReference {
  const [rest = '', digest] = text.split('@', 2);
  const colon = rest.lastIndexOf(':');
  if (colon <= rest.lastIndexOf('/')) return { name: rest, digest };
  return { name: rest.slice(0, colon), tag: rest.slice(colon + 1), digest };
}

/** The changes of a document, and whether it uses the image at all. */
interface ImageChanges {
  used: boolean;
  operations: PatchOperation[];
}

/**
 * Returns the changes by which a document uses the new image. Supported are the `images` of kustomizations (kustomize's
 * and Flux's), the containers of every kind of workload, and in the values of a Flux HelmRelease `image: name:tag`, and
 * maps with `repository` (and `registry`) next to `tag` or `digest`.
 */
export function imageChanges(path: string, value: Json, set: ImageSet): ImageChanges {
  const changes = new Changes(set);
  const { apiVersion = '', kind } = identityOf(value);
  if (!isObject(value)) return changes.result();
  if (/(^|\/)kustomization\.ya?ml$|(^|\/)Kustomization$/.test(path) && !apiVersion.includes('.toolkit.'))
    changes.images(value, [], set.container === undefined);
  else if (apiVersion.startsWith('kustomize.toolkit.fluxcd.io/'))
    changes.images(isObject(value['spec']) ? value['spec'] : {}, ['spec'], true);
  else if (apiVersion.startsWith('helm.toolkit.fluxcd.io/') && kind === 'HelmRelease')
    changes.helmRelease(value);
  else changes.containers(value, []);
  return changes.result();
}

class Changes {
  #used = false;
  readonly #operations: PatchOperation[] = [];

  readonly #set: ImageSet;

  constructor(set: ImageSet) {
    this.#set = set;
  }

  result(): ImageChanges {
    return { used: this.#used, operations: this.#operations };
  }

  /** Changes `images` of a kustomization: the entry of the image, or a new one. */
  images(parent: JsonObject, at: Steps, add: boolean): void {
    const { image, newName, newTag, digest } = this.#set;
    const images = parent['images'];
    const desired: JsonObject = {
      ...(newName !== undefined && { newName }),
      ...(newTag !== undefined && { newTag }),
      ...(digest !== undefined && { digest }),
    };
    const entries = Array.isArray(images) ? images : [];
    const index = entries.findIndex((entry) => isObject(entry) && entry['name'] === image);
    const entry = entries[index];
    if (isObject(entry)) {
      this.#used = true;
      const old = newTag === undefined && digest === undefined ? [] : ['newTag', 'digest'];
      for (const key of old)
        if (!Object.hasOwn(desired, key)) this.#remove(entry, [...at, 'images', index], key);
      for (const [key, value] of Object.entries(desired))
        this.#put(entry, [...at, 'images', index], key, value);
    } else if (add) {
      this.#used = true;
      const added = { name: image, ...desired };
      const path = pointerOf([...at, 'images', ...(Array.isArray(images) ? ['-'] : [])]);
      this.#operations.push({ op: 'add', path, value: Array.isArray(images) ? added : [added] });
    }
  }

  /** Changes the containers anywhere in an object: pods, and templates of pods. */
  containers(value: Json | undefined, at: Steps): void {
    if (Array.isArray(value)) value.forEach((item, index) => this.containers(item, [...at, index]));
    if (!isObject(value)) return;
    for (const [key, member] of Object.entries(value)) {
      const isList = /^(containers|initContainers|ephemeralContainers)$/.test(key) && Array.isArray(member);
      if (!isList) this.containers(member, [...at, key]);
      else member.forEach((item, index) => this.#container(item, [...at, key, index]));
    }
  }

  #container(value: Json, at: Steps): void {
    if (!isObject(value)) return;
    if (this.#set.container !== undefined && value['name'] !== this.#set.container) return;
    this.#reference(value, at);
  }

  /** Changes `image: name:tag`. */
  #reference(value: JsonObject, at: Steps): void {
    const { image } = value;
    if (typeof image !== 'string' || !this.#isMeant(parseImage(image).name)) return;
    this.#used = true;
    this.#put(value, at, 'image', this.#desired(parseImage(image)));
  }

  helmRelease(value: JsonObject): void {
    const spec = isObject(value['spec']) ? value['spec'] : {};
    this.#values(spec['values'], ['spec', 'values']);
    const renderers = Array.isArray(spec['postRenderers']) ? spec['postRenderers'] : [];
    for (const [index, renderer] of renderers.entries()) {
      const kustomize = isObject(renderer) ? renderer['kustomize'] : undefined;
      if (isObject(kustomize)) this.images(kustomize, ['spec', 'postRenderers', index, 'kustomize'], false);
    }
  }

  #values(value: Json | undefined, at: Steps): void {
    if (Array.isArray(value)) value.forEach((item, index) => this.#values(item, [...at, index]));
    if (!isObject(value)) return;
    this.#reference(value, at);
    this.#repository(value, at);
    for (const [key, member] of Object.entries(value)) this.#values(member, [...at, key]);
  }

  /** Changes `repository: name` (and `registry`), `tag` and `digest`, the convention of charts. */
  #repository(value: JsonObject, at: Steps): void {
    const { repository, registry } = value;
    if (typeof repository !== 'string') return;
    const prefix = typeof registry === 'string' && registry !== '' ? `${registry}/` : '';
    if (!this.#isMeant(prefix + repository)) return;
    const { newName, newTag, digest } = this.#set;
    this.#used = true;
    if (newName !== undefined && prefix + repository !== newName) {
      if (prefix !== '' && !newName.startsWith(prefix)) this.#put(value, at, 'registry', '');
      const kept = newName.startsWith(prefix) ? prefix.length : 0;
      this.#put(value, at, 'repository', newName.slice(kept));
    }
    if (newTag !== undefined) this.#put(value, at, 'tag', newTag);
    if (digest !== undefined) this.#put(value, at, 'digest', digest);
    else if (newTag !== undefined && typeof value['digest'] === 'string' && value['digest'] !== '')
      this.#put(value, at, 'digest', '');
  }

  #isMeant(name: string): boolean {
    return name === this.#set.image || name === this.#set.newName;
  }

  /** Returns the new reference. A new tag removes the old digest, and a new digest removes the old tag, as in kustomize. */
  #desired(old: ImageReference): string {
    const { newName, newTag, digest } = this.#set;
    const version = newTag === undefined && digest === undefined ? old : { tag: newTag, digest };
    const tag = version.tag === undefined ? '' : `:${version.tag}`;
    return `${newName ?? old.name}${tag}${version.digest === undefined ? '' : `@${version.digest}`}`;
  }

  #put(parent: JsonObject, at: Steps, key: string, value: Json): void {
    const path = pointerOf([...at, key]);
    if (parent[key] !== value) this.#operations.push({ op: 'add', path, value });
  }

  #remove(parent: JsonObject, at: Steps, key: string): void {
    if (Object.hasOwn(parent, key)) this.#operations.push({ op: 'remove', path: pointerOf([...at, key]) });
  }
}
