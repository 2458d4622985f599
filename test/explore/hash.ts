/** 32 bits of hash, for states that were met before. */
export function mix(a: number, b: number): number {
  let hash = Math.imul(a ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(b ^ (b >>> 15), 0xc2b2ae35)
  hash = Math.imul(hash ^ (hash >>> 13), 0x27d4eb2f)
  return hash ^ (hash >>> 16)
}

/** Of a value that JSON can hold. */
export function hashOfValue(value: unknown, seed: number): number {
  const text = JSON.stringify(value) ?? ''
  let hash = seed
  for (let at = 0; at < text.length; at++) hash = mix(hash, text.charCodeAt(at))
  return hash
}
