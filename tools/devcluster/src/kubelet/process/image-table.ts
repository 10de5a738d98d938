import { StartProblem } from '../container-runtime.js';

/** The program of an image as a local process. */
export interface ImageProgram {
  /** The program and its first arguments; `command` of the container replaces it. */
  command: readonly string[];
  /** Further arguments; `args` or `command` of the container replaces them. */
  args?: readonly string[] | undefined;
  /** Environment variables of the image; the variables of the container take precedence. */
  env?: Readonly<Record<string, string>> | undefined;
  /** Folders of the machine by their paths in the container; each container receives its own copies. */
  files?: Readonly<Record<string, string>> | undefined;
}

/** Programs by image: a name matches all its tags and digests, and a name with a tag matches only that tag. */
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
