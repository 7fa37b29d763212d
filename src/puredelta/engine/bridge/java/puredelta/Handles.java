package puredelta;

import py4j.Gateway;
import py4j.Protocol;
import scala.collection.Iterator;

/**
 * Many objects in one call: py4j by itself hands over, takes and releases one a call.
 *
 * Objects are written as py4j writes them, a line each.
 */
public final class Handles {
  private final Gateway gateway;

  public Handles(Gateway gateway) { this.gateway = gateway; }

  /** Hands over the items of a Scala collection. */
  public String items(scala.collection.IterableOnce collection) {
    StringBuilder lines = new StringBuilder();
    for (Iterator rest = collection.iterator(); rest.hasNext();) {
      lines.append(gateway.getReturnObject(rest.next()).getCommandPart()).append('\n');
    }
    return lines.toString();
  }

  /** Makes an immutable sequence of what Python has handles of. */
  public Object sequence(String lines) {
    java.util.List items = new java.util.ArrayList();
    for (String line : lines.split("\n")) {
      if (!line.isEmpty()) items.add(Protocol.getObject(line, gateway));
    }
    return scala.jdk.javaapi.CollectionConverters.asScala(items).toSeq();
  }

  /** Releases objects that Python has no handles of any more. */
  public void release(String ids) {
    for (String id : ids.split("\n")) gateway.deleteObject(id);
  }

  /** The name of an object's class, without its package. */
  public static String kindOf(Object object) { return object.getClass().getSimpleName(); }
}
