package puredelta;

import java.io.IOException;
import java.nio.*;
import java.util.Base64;
import java.util.zip.CRC32;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.*;
import org.apache.spark.sql.execution.vectorized.WritableColumnVector;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.roaringbitmap.*;

/** The rows of one file that its deletion vector takes away: 64-bit roaring bitmaps, a 32-bit one a bucket. */
final class DeletedRows {
  private final RoaringBitmap[] buckets;

  private DeletedRows(RoaringBitmap[] buckets) { this.buckets = buckets; }

  /** From what the file list says: "bitmap in base 64", or "offset,size,path in base 64". */
  static DeletedRows read(String told, Configuration conf) {
    String[] parts = told.split(",");
    byte[] last = Base64.getDecoder().decode(parts[parts.length - 1]);
    if (parts.length == 1) return new DeletedRows(buckets(last, "(inline)"));
    String path = new String(last, java.nio.charset.StandardCharsets.UTF_8);
    byte[] bitmap = new byte[Integer.parseInt(parts[1])];
    try {
      Path file = new Path(path);
      FSDataInputStream in = file.getFileSystem(conf).open(file);
      try {
        in.seek(Long.parseLong(parts[0]));
        if (in.readInt() != bitmap.length) throw damaged(path, "its size is not the one in the log", null);
        in.readFully(bitmap);
        CRC32 sum = new CRC32();
        sum.update(bitmap, 0, bitmap.length);
        if (in.readInt() != (int) sum.getValue()) throw damaged(path, "its checksum is wrong", null);
      } finally {
        in.close();
      }
    } catch (IOException e) {
      throw damaged(path, e.toString(), e);
    }
    return new DeletedRows(buckets(bitmap, path));
  }

  /** A table of ascending keys, which are the upper halves of row indexes, in the portable form or the older one. */
  private static RoaringBitmap[] buckets(byte[] bytes, String path) {
    ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    try {
      int magic = in.getInt();
      boolean portable = magic == 1681511377;
      if (!portable && magic != 1681511376) throw damaged(path, "it starts with " + magic, null);
      int count = portable ? (int) in.getLong() : in.getInt();
      java.util.ArrayList found = new java.util.ArrayList();
      for (int i = 0; i < count; i++) {
        int key = in.getInt();
        while (portable && found.size() < key) found.add(new RoaringBitmap());
        RoaringBitmap bucket = new RoaringBitmap();
        bucket.deserialize((ByteBuffer) in.slice());
        in.position(in.position() + (portable ? bucket.serializedSizeInBytes() : key));
        found.add(bucket);
      }
      return (RoaringBitmap[]) found.toArray(new RoaringBitmap[found.size()]);
    } catch (Exception e) {
      throw damaged(path, e.toString(), e);
    }
  }

  boolean has(long row) {
    int bucket = (int) (row >>> 32);
    return bucket < buckets.length && buckets[bucket].contains((int) row);
  }

  /** Sets the marks of a batch, whose row indexes ascend, mostly without a gap. */
  void mark(ColumnVector indexes, WritableColumnVector marks, int size) {
    long first = size == 0 ? 0 : indexes.getLong(0);
    if (buckets.length == 1 && size > 0 && indexes.getLong(size - 1) - first == size - 1) {
      PeekableIntIterator rows = buckets[0].getIntIterator();
      rows.advanceIfNeeded((int) first);
      while (rows.hasNext() && rows.peekNext() < first + size) marks.putLong((int) (rows.next() - first), 1L);
      return;
    }
    for (int i = 0; i < size; i++) if (has(indexes.getLong(i))) marks.putLong(i, 1L);
  }

  private static IllegalStateException damaged(String path, String reason, Exception cause) {
    return new IllegalStateException("puredelta deletion vector: " + path + " :: " + reason + " :puredelta", cause);
  }
}
