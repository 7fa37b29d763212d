package puredelta;

import java.nio.*;
import java.util.*;
import java.util.zip.CRC32;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.*;
import org.apache.spark.sql.execution.vectorized.WritableColumnVector;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.roaringbitmap.*;

/**
 * The rows of one file that its deletion vector takes away: 64-bit roaring bitmaps, a 32-bit one a key. What
 * table/deletion_vectors/vectors.py refuses is refused here; the same damaged vectors are tried on both.
 */
final class DeletedRows {
  private static final int PORTABLE = 1681511377, NATIVE = 1681511376;
  /** A size that the log promises is allocated unseen up to here. */
  private static final int SMALL = 1 << 20;
  private final int[] keys;
  private final RoaringBitmap[] buckets;

  private DeletedRows(int[] keys, RoaringBitmap[] buckets) {
    this.keys = keys;
    this.buckets = buckets;
  }

  /**
   * From what the file list says: "rows,bitmap in base 64", or "rows,offset,size,path in base 64".
   * `place` names table and file for the error.
   */
  static DeletedRows read(String entry, Configuration conf, String place) {
    String[] parts = entry.split(",", -1);
    byte[] last = Base64.getDecoder().decode(parts[parts.length - 1]);
    String path = "";
    try {
      if (parts.length > 2) {
        path = new String(last, "UTF-8");
        last = framed(new Path(path), Long.parseLong(parts[1]), Integer.parseInt(parts[2]), conf);
      }
      DeletedRows found = parsed(ByteBuffer.wrap(last).order(ByteOrder.LITTLE_ENDIAN));
      long count = 0;
      for (int i = 0; i < found.buckets.length; i++) count += found.buckets[i].getLongCardinality();
      if (count != Long.parseLong(parts[0])) throw damage("CARDINALITY_MISMATCH", parts[0], "" + count);
      return found;
    } catch (IllegalStateException e) {
      throw refusal(place, path, e);
    } catch (Exception e) {
      throw refusal(place, path, damage("MALFORMED", "", e.toString()));
    }
  }

  private static IllegalStateException refusal(String place, String path, IllegalStateException damage) {
    String text = place + "\t" + path + "\t" + damage.getMessage();
    return new IllegalStateException("puredelta deletion vector: " + text + " :puredelta", damage);
  }

  /** The bytes of a vector from its file: behind their size, before their checksum. */
  private static byte[] framed(Path file, long offset, int size, Configuration conf) throws Exception {
    FileSystem files = file.getFileSystem(conf);
    if (size > SMALL && files.getFileStatus(file).getLen() < offset + size + 8) {
      throw damage("SIZE_MISMATCH", "" + size, "" + (files.getFileStatus(file).getLen() - offset - 8));
    }
    FSDataInputStream in = files.open(file);
    try {
      // The first vector is one byte behind the version of the file.
      if (offset != 1) in.seek(offset);
      else if (in.read() != 1) throw damage("MALFORMED", "", "another version of the file than 1");
      int found = in.readInt();
      if (found != size) throw damage("SIZE_MISMATCH", "" + size, "" + found);
      byte[] bitmap = new byte[size];
      in.readFully(bitmap);
      CRC32 sum = new CRC32();
      sum.update(bitmap, 0, size);
      if (in.readInt() != (int) sum.getValue()) throw damage("CHECKSUM_MISMATCH", "", "" + offset);
      return bitmap;
    } finally {
      in.close();
    }
  }

  /** Ascending keys, the upper halves of row indexes, with their bitmaps; the older form counts them. */
  private static DeletedRows parsed(ByteBuffer in) throws Exception {
    int magic = in.getInt();
    boolean portable = magic == PORTABLE;
    if (magic == Integer.reverseBytes(NATIVE)) in.order(ByteOrder.BIG_ENDIAN);
    else if (!portable && magic != NATIVE) throw damage("MALFORMED", "", "magic number " + magic);
    long count = portable ? in.getLong() : in.getInt();
    // A key and its bitmap take twelve bytes at the minimum.
    if (count < 0 || count > in.remaining() / 12) throw damage("MALFORMED", "", count + " bitmaps");
    int[] keys = new int[(int) count];
    RoaringBitmap[] buckets = new RoaringBitmap[(int) count];
    long rows = 0;
    for (int i = 0; i < count; i++) {
      int number = in.getInt();
      keys[i] = portable ? number : i;
      buckets[i] = new RoaringBitmap();
      buckets[i].deserialize((ByteBuffer) in.slice());
      int size = buckets[i].serializedSizeInBytes();
      if (!portable && size != number) throw damage("MALFORMED", "", size + " bytes, not " + number);
      if (i > 0 && keys[i] <= keys[i - 1]) throw damage("MALFORMED", "", "key " + keys[i]);
      // A few bytes delete 65,536 rows, and no file has so many that counting them takes long.
      rows += buckets[i].getLongCardinality();
      if (rows > 1L << 32) throw damage("MALFORMED", "", rows + " rows");
      boolean isRow = keys[i] >= 0 && keys[i] < Integer.MAX_VALUE;
      if (!isRow && !buckets[i].isEmpty()) throw damage("MALFORMED", "", "key " + keys[i]);
      checkAscent(buckets[i]);
      in.position(in.position() + size);
    }
    return new DeletedRows(keys, buckets);
  }

  /** What does not ascend, or is not what is counted, is found by no search. */
  private static void checkAscent(RoaringBitmap bucket) {
    BatchIterator values = bucket.getBatchIterator();
    int[] some = new int[4096];
    long before = -1, count = 0;
    while (values.hasNext()) {
      int size = values.nextBatch(some);
      for (int i = 0; i < size; i++) {
        long value = some[i] & 0xffffffffL;
        if (value <= before) throw damage("MALFORMED", "", "rows that do not ascend");
        before = value;
      }
      count += size;
      if (size > 0 && !bucket.contains(some[size - 1])) throw damage("MALFORMED", "", "a run past its end");
    }
    if (count != bucket.getLongCardinality()) throw damage("MALFORMED", "", "another count of rows");
  }

  boolean has(long row) {
    int place = Arrays.binarySearch(keys, (int) (row >>> 32));
    return place >= 0 && buckets[place].contains((int) row);
  }

  /** Sets the marks of a batch, whose row indexes ascend, mostly without a gap. */
  void mark(ColumnVector indexes, WritableColumnVector marks, int size) {
    long first = size == 0 ? 0 : indexes.getLong(0), last = size == 0 ? 0 : indexes.getLong(size - 1);
    if (last - first == size - 1 && first >>> 32 == last >>> 32) {
      int place = Arrays.binarySearch(keys, (int) (first >>> 32));
      if (place < 0) return;
      PeekableIntIterator rows = buckets[place].getIntIterator();
      rows.advanceIfNeeded((int) first);
      long start = first & 0xffffffffL;
      while (rows.hasNext() && (rows.peekNext() & 0xffffffffL) < start + size) {
        marks.putLong((int) ((rows.next() & 0xffffffffL) - start), 1L);
      }
      return;
    }
    for (int i = 0; i < size; i++) if (has(indexes.getLong(i))) marks.putLong(i, 1L);
  }

  /** What is wrong, as table/deletion_vectors/vectors.py names it. */
  private static IllegalStateException damage(String kind, String expected, String found) {
    return new IllegalStateException(String.join("\t", new String[] {kind, expected, found}));
  }
}
