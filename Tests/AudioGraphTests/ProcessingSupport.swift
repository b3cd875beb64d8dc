import AudioGraph

extension AudioBuffer {
    /// A block with these samples in every channel.
    convenience init(_ samples: [Float], channels: Int = 1) {
        self.init(channels: channels, capacity: max(1, samples.count))
        frameCount = samples.count
        for channel in 0..<channels { _ = self[channel].update(fromContentsOf: samples) }
    }
}

/// What a processor makes of a sound, given to it in blocks of these lengths in turn.
func processed(_ samples: [Float], by processor: any AudioProcessor, blocks: [Int] = [480], channels: Int = 1)
    -> [Float]
{
    processed([[Float]](repeating: samples, count: channels), by: processor, blocks: blocks)[0]
}

/// The same with a sound of its own for every channel.
func processed(_ sound: [[Float]], by processor: any AudioProcessor, blocks: [Int] = [480]) -> [[Float]] {
    let block = AudioBuffer(channels: sound.count, capacity: maximumBlockFrames)
    var result = sound
    var (start, turn) = (0, 0)
    while start < sound[0].count {
        block.frameCount = min(blocks[turn % blocks.count], sound[0].count - start)
        for channel in sound.indices {
            sound[channel].withUnsafeBufferPointer {
                block[channel].baseAddress.unsafelyUnwrapped.update(
                    from: $0.baseAddress.unsafelyUnwrapped + start, count: block.frameCount)
            }
        }
        processor.process(block)
        for channel in sound.indices {
            result[channel].withUnsafeMutableBufferPointer {
                ($0.baseAddress.unsafelyUnwrapped + start).update(
                    from: block[channel].baseAddress.unsafelyUnwrapped, count: block.frameCount)
            }
        }
        start += block.frameCount
        turn += 1
    }
    return result
}
