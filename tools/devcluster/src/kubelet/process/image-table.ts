import { StartProblem } from '../container-runtime.js';

/** What a container of an image runs as a local process. */
export interface ImageProgram {
  /** The program and its first arguments; `command` of the container replaces it. */
  command: readonly string[];
  /** Further arguments; `args` or `command` of the container replaces them. */
  args?: readonly string[] | undefined;
  /** Variables that the image sets; those of the container come over them. */
  env?: Readonly<Record<string, string>> | undefined;
  /** Folders of the machine by the paths at which a container has them; each container gets copies of its own. */
  files?: Readonly<Record<string, string>> | undefined;
}

/** Programs by image: a name stands for all of its tags and digests, a name with a tag for that one alone. */
export type ImageTable = Readonly<Record<string, ImageProgram>>;

/** Returns the program of an image. Throws StartProblem `ErrImagePull`. */
export function programOf(images: ImageTable, image: string): ImageProgram {
  const withoutDigest = image.replace(/@.*$/, '');
  const name = withoutDigest.replace(/:[^/:]*$/, '');
  const key = [image, withoutDigest, name].find((candidate) => Object.hasOwn(images, candidate));
  const found = key === undefined ? undefined : images[key];
  if (found !== undefined) return found;
  const why = `failed to resolve reference "${image}": the image table of the node does not have it`;
  throw new StartProblem('ErrImagePull', `failed to pull and unpack image "${image}": ${why}`);
}
