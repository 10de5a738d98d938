/**
 * Returns whether two images are known to be of different releases: by their tags or their digests. Admission may have added a digest,
 * replaced the tag by one, or named another registry, which says nothing about the release.
 */
export function isOtherRelease(image: string, other: string): boolean {
  const [one, two] = [partsOf(image), partsOf(other)];
  return differ(one.tag, two.tag) || differ(one.digest, two.digest);
}

function differ(one: string | undefined, two: string | undefined): boolean {
  return one !== undefined && two !== undefined && one !== two;
}

/** Returns the tag and the digest of `registry:port/path/name:tag@digest`. */
function partsOf(image: string): { tag: string | undefined; digest: string | undefined } {
  const [named = '', digest] = image.split('@');
  const [, tag] = named.slice(named.lastIndexOf('/') + 1).split(':');
  return { tag, digest };
}
